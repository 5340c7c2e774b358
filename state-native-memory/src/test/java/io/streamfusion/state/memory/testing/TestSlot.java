package io.streamfusion.state.memory.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SavepointSnapshotStrategy;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.FileUtils;

/** A slot of Flink's with its managed memory, and the keyed backends that were opened in it. */
public final class TestSlot implements AutoCloseable {
    public static final int KEY_GROUPS = 8;
    private static final int BUFFER_BYTES = 4096;
    private static final long DEFAULT_MANAGED_BYTES = 64L << 20;

    private final MockEnvironment environment;
    private final List<AbstractKeyedStateBackend<?>> backends = new ArrayList<>();
    private TtlTimeProvider time = TtlTimeProvider.DEFAULT;
    private MetricGroup metrics = new UnregisteredMetricsGroup();
    private Path checkpoints;

    public TestSlot() {
        this(DEFAULT_MANAGED_BYTES);
    }

    public TestSlot(long managedBytes) {
        environment = new MockEnvironmentBuilder().setManagedMemorySize(managedBytes).build();
    }

    public TestSlot withTime(TtlTimeProvider newTime) {
        time = newTime;
        return this;
    }

    public TestSlot withMetrics(MetricGroup newMetrics) {
        metrics = newMetrics;
        return this;
    }

    public MockEnvironment environment() {
        return environment;
    }

    /** Opens a backend for all key groups; the slot disposes it. */
    public <K> AbstractKeyedStateBackend<K> open(
            StateBackend backend, TypeSerializer<K> keySerializer, KeyedStateHandle... handles)
            throws Exception {
        KeyedStateBackendParameters<K> parameters = parameters(keySerializer, List.of(handles));
        AbstractKeyedStateBackend<K> opened =
                (AbstractKeyedStateBackend<K>) backend.createKeyedStateBackend(parameters);
        backends.add(opened);
        // As Flink does when a backend is restored.
        parameters.getCancelStreamRegistry().close();
        return opened;
    }

    /** What Flink gives for a task that owns all key groups. */
    public <K> KeyedStateBackendParameters<K> parameters(
            TypeSerializer<K> keySerializer, Collection<KeyedStateHandle> handles) {
        return new KeyedStateBackendParametersImpl<>(
                environment,
                new JobID(),
                "operator",
                keySerializer,
                KEY_GROUPS,
                KeyGroupRange.of(0, KEY_GROUPS - 1),
                environment.getTaskKvStateRegistry(),
                time,
                metrics,
                (name, value) -> {},
                handles,
                new CloseableRegistry(),
                1.0);
    }

    /** Takes a checkpoint, to the end. */
    public KeyedStateHandle checkpoint(AbstractKeyedStateBackend<?> backend, long id)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                backend.snapshot(
                        id,
                        id,
                        storage(),
                        new CheckpointOptions(
                                CheckpointType.CHECKPOINT,
                                CheckpointStorageLocationReference.getDefault()));
        snapshot.run();
        backend.notifyCheckpointComplete(id);
        return snapshot.get().getJobManagerOwnedSnapshot();
    }

    /** Takes a canonical savepoint, to the end. */
    public <K> KeyedStateHandle savepoint(AbstractKeyedStateBackend<K> backend, long id)
            throws Exception {
        SavepointResources<K> resources = backend.savepoint();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                new SnapshotStrategyRunner<>(
                                "savepoint",
                                new SavepointSnapshotStrategy<>(resources.getSnapshotResources()),
                                new CloseableRegistry(),
                                resources.getPreferredSnapshotExecutionType())
                        .snapshot(
                                id,
                                id,
                                storage(),
                                new CheckpointOptions(
                                        SavepointType.savepoint(SavepointFormatType.CANONICAL),
                                        CheckpointStorageLocationReference.getDefault()));
        snapshot.run();
        return snapshot.get().getJobManagerOwnedSnapshot();
    }

    /** Checkpoint storage in a directory of the slot's own. */
    private CheckpointStreamFactory storage() throws IOException {
        if (checkpoints == null) {
            checkpoints = Files.createTempDirectory("streamfusion-test-slot");
        }
        org.apache.flink.core.fs.Path directory =
                new org.apache.flink.core.fs.Path(checkpoints.toUri());
        return new FsCheckpointStreamFactory(
                LocalFileSystem.getSharedInstance(), directory, directory, 0, BUFFER_BYTES);
    }

    @Override
    public void close() {
        for (AbstractKeyedStateBackend<?> backend : backends) {
            backend.dispose();
        }
        try {
            environment.close();
            if (checkpoints != null) {
                FileUtils.deleteDirectory(checkpoints.toFile());
            }
        } catch (Exception e) {
            throw new IllegalStateException("The slot leaves something behind.", e);
        }
    }
}
