package io.streamfusion.state.memory.conformance;

import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.ttl.StateBackendTestContext;
import org.apache.flink.runtime.state.ttl.TtlStateTestBase;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's suite for time to live, unchanged, by checkpoints that hold everything. */
@ExtendWith({NoNativeLeaks.class, ParameterizedTestExtension.class})
class MemoryTtlStateTest extends TtlStateTestBase {
    @Override
    protected StateBackendTestContext createStateBackendTestContext(TtlTimeProvider timeProvider) {
        return context(timeProvider, false);
    }

    static StateBackendTestContext context(TtlTimeProvider timeProvider, boolean incremental) {
        return new StateBackendTestContext(timeProvider) {
            @Override
            protected StateBackend createStateBackend() {
                return new StreamFusionMemoryStateBackend(incremental);
            }
        };
    }
}
