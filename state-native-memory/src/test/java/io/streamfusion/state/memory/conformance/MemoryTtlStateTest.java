package io.streamfusion.state.memory.conformance;

import io.streamfusion.state.memory.testing.CreatedBackends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.runtime.state.ttl.StateBackendTestContext;
import org.apache.flink.runtime.state.ttl.TtlStateTestBase;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's suite for time to live, unchanged, by checkpoints that hold everything. */
@ExtendWith({NoNativeLeaks.class, ParameterizedTestExtension.class})
public class MemoryTtlStateTest extends TtlStateTestBase implements TestedBackend {
    @Override
    protected StateBackendTestContext createStateBackendTestContext(TtlTimeProvider timeProvider) {
        boolean incremental = !isSavepoint();
        return new StateBackendTestContext(timeProvider) {
            @Override
            protected StateBackend createStateBackend() {
                return backend(incremental, new CreatedBackends());
            }

            @Override
            protected CheckpointStorage createCheckpointStorage() {
                return checkpointStorage();
            }
        };
    }

    /** Where checkpoints go; asked while the context is constructed. */
    protected CheckpointStorage checkpointStorage() {
        return new JobManagerCheckpointStorage();
    }
}
