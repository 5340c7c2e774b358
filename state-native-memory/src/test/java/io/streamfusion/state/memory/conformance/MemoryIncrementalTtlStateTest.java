package io.streamfusion.state.memory.conformance;

import io.streamfusion.state.memory.testing.NoNativeLeaks;
import org.apache.flink.runtime.state.ttl.StateBackendTestContext;
import org.apache.flink.runtime.state.ttl.TtlStateTestBase;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's suite for time to live, unchanged, by incremental checkpoints. */
@ExtendWith({NoNativeLeaks.class, ParameterizedTestExtension.class})
class MemoryIncrementalTtlStateTest extends TtlStateTestBase {
    @Override
    protected StateBackendTestContext createStateBackendTestContext(TtlTimeProvider timeProvider) {
        return MemoryTtlStateTest.context(timeProvider, true);
    }

    /** An incremental checkpoint keeps expired rows, as RocksDB's does. */
    @Override
    public boolean isSavepoint() {
        return false;
    }
}
