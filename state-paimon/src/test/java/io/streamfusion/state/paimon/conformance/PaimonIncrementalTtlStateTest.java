package io.streamfusion.state.paimon.conformance;

import io.streamfusion.state.memory.conformance.MemoryIncrementalTtlStateTest;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;
import java.nio.file.Path;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.junit.jupiter.api.io.TempDir;

/** The suite of the memory backend, which is Flink's, on checkpoints that are tables. */
class PaimonIncrementalTtlStateTest extends MemoryIncrementalTtlStateTest
        implements TestedPaimonBackend {
    @TempDir private static Path checkpoints;

    @Override
    protected CheckpointStorage checkpointStorage() {
        return new FileSystemCheckpointStorage(checkpoints.toUri());
    }
}
