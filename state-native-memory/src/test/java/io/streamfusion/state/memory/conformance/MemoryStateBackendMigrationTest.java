package io.streamfusion.state.memory.conformance;

import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TrackedBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackendMigrationTestBase;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameter;
import org.apache.flink.testutils.junit.extensions.parameterized.ParameterizedTestExtension;
import org.apache.flink.testutils.junit.extensions.parameterized.Parameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Flink's suite for the evolution of serializers, unchanged. */
@ExtendWith({NoNativeLeaks.class, ParameterizedTestExtension.class})
class MemoryStateBackendMigrationTest extends StateBackendMigrationTestBase<TrackedBackend> {
    @TempDir private static Path checkpoints;

    @Parameter public boolean incremental;

    @Parameters(name = "incremental={0}")
    static List<Boolean> incremental() {
        return List.of(true, false);
    }

    private final List<TrackedBackend> backends = new ArrayList<>();

    @AfterEach
    void disposeBackends() {
        backends.forEach(TrackedBackend::disposeAll);
    }

    @Override
    protected TrackedBackend getStateBackend() {
        TrackedBackend backend = new TrackedBackend(incremental);
        backends.add(backend);
        return backend;
    }

    @Override
    protected CheckpointStorage getCheckpointStorage() {
        return new FileSystemCheckpointStorage(checkpoints.toUri());
    }
}
