package io.streamfusion.state.memory.conformance;

import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.testing.CreatedBackends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.runtime.state.v2.StateBackendTestV2Base;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameter;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameters;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Flink's suite for State V2, unchanged, served through the adaptor. */
@ExtendWith({NoNativeLeaks.class, ParameterizedTestExtension.class})
public class MemoryStateBackendV2Test extends StateBackendTestV2Base<NativeStateBackend>
        implements TestedBackend {
    @TempDir private static Path checkpoints;

    @Parameter public boolean incremental;

    @Parameters(name = "incremental={0}")
    static List<Boolean> incremental() {
        return List.of(true, false);
    }

    @Override
    protected ConfigurableStateBackend getStateBackend() {
        return (ConfigurableStateBackend)
                backend(incremental, new CreatedBackends())
                        .configure(new Configuration(), getClass().getClassLoader());
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() {
        return new FileSystemCheckpointStorage(checkpoints.toUri());
    }

    /** A new job on a new slot. */
    @Override
    protected void restoreJob() throws Exception {
        jobID = new JobID();
        env.close();
        env = buildMockEnv();
        env.setCheckpointStorageAccess(getCheckpointStorageAccess());
    }
}
