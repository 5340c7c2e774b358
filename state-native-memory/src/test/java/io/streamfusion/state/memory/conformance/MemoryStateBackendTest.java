package io.streamfusion.state.memory.conformance;

import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.testing.CreatedBackends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.StateBackendTestBase;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameter;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Flink's suite for state backends, unchanged. */
@ExtendWith({NoNativeLeaks.class, ParameterizedTestExtension.class})
public class MemoryStateBackendTest extends StateBackendTestBase<NativeStateBackend>
        implements TestedBackend {
    @TempDir private static Path checkpoints;

    @Parameter public boolean incremental;

    @Parameters(name = "incremental={0}")
    static List<Boolean> incremental() {
        return List.of(true, false);
    }

    private final CreatedBackends created = new CreatedBackends();

    @AfterEach
    void disposeBackends() {
        created.disposeAll();
    }

    @Override
    protected ConfigurableStateBackend getStateBackend() {
        return backend(incremental, created);
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() {
        return new FileSystemCheckpointStorage(checkpoints.toUri());
    }

    @Override
    protected boolean isSerializerPresenceRequiredOnRestore() {
        return false;
    }

    @Override
    protected boolean supportsAsynchronousSnapshots() {
        return true;
    }

    @Override
    protected boolean isSafeToReuseKVState() {
        return true;
    }
}
