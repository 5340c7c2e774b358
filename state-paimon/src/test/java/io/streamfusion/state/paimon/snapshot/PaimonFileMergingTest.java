package io.streamfusion.state.paimon.snapshot;

import io.streamfusion.state.memory.snapshot.FileMergingTestBase;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** Data files stay what they are, for Paimon to read; only the manifest is merged. */
class PaimonFileMergingTest extends FileMergingTestBase implements TestedPaimonBackend {
    @Override
    protected Class<? extends StreamStateHandle> kindOfFiles() {
        return FileStateHandle.class;
    }
}
