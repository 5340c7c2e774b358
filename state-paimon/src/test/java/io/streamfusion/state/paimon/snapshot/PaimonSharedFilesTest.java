package io.streamfusion.state.paimon.snapshot;

import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.snapshot.SharedFilesTest;
import io.streamfusion.state.paimon.kit.OneFilePaimonBackend;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;

/** What the memory backend promises, on checkpoints that are tables. */
class PaimonSharedFilesTest extends SharedFilesTest implements TestedPaimonBackend {
    @Override
    public NativeStateBackend backend(boolean incremental) {
        return new OneFilePaimonBackend(incremental);
    }
}
