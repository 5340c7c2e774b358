package io.streamfusion.state.paimon.snapshot;

import io.streamfusion.ffi.NativeCompression;
import io.streamfusion.ffi.NativeTableCompression;
import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.snapshot.CheckpointRoundTripTest;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.kit.OneFilePaimonBackend;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;
import org.apache.flink.configuration.Configuration;

/** What the memory backend promises, on checkpoints that are tables. */
class PaimonCheckpointRoundTripTest extends CheckpointRoundTripTest implements TestedPaimonBackend {
    @Override
    public NativeStateBackend backend(boolean incremental) {
        return new OneFilePaimonBackend(incremental);
    }

    @Override
    protected void compress(Configuration configuration, NativeCompression compression) {
        configuration.set(
                PaimonOptions.COMPRESSION,
                switch (compression) {
                    case NONE -> NativeTableCompression.NONE;
                    case LZ4 -> NativeTableCompression.SNAPPY;
                    case ZSTD -> NativeTableCompression.ZSTD;
                });
    }
}
