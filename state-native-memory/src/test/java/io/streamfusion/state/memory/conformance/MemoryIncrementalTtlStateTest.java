package io.streamfusion.state.memory.conformance;

/** Flink's suite for time to live, unchanged, by incremental checkpoints. */
public class MemoryIncrementalTtlStateTest extends MemoryTtlStateTest {
    /** An incremental checkpoint keeps expired rows, as RocksDB's does. */
    @Override
    public boolean isSavepoint() {
        return false;
    }
}
