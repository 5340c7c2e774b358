package io.streamfusion.state.paimon.snapshot;

import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.snapshot.LocalRecoveryTest;
import io.streamfusion.state.paimon.kit.OneFilePaimonBackend;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;

/** What the memory backend promises, on checkpoints that are tables. */
class PaimonLocalRecoveryTest extends LocalRecoveryTest implements TestedPaimonBackend {
    @Override
    public NativeStateBackend backend(boolean incremental) {
        return new OneFilePaimonBackend(incremental);
    }

    @Override
    protected String localSuffix() {
        return ".parquet";
    }
}
