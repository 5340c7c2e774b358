package io.streamfusion.state.memory.model;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.execution.Environment;
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
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * One subtask with one keyed backend.
 *
 * @param <K> type of the keys
 */
final class Task<K> implements AutoCloseable {
    /** A subtask of ours gets this part of its slot's managed memory. */
    private static final double SHARE_OF_SLOT = 0.5;

    private final KeyGroupRange range;
    private final AbstractKeyedStateBackend<K> backend;
    private final States<K> states;

    private Task(KeyGroupRange range, AbstractKeyedStateBackend<K> backend, int padding) {
        this.range = range;
        this.backend = backend;
        this.states = new States<>(backend, padding);
    }

    /** Starts a subtask with what it gets of a snapshot's handles. */
    static <K> Task<K> start(
            StateBackend kind,
            Environment environment,
            MetricGroup metrics,
            TtlTimeProvider clock,
            KeySpace<K> keys,
            int padding,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles)
            throws Exception {
        List<KeyedStateHandle> assigned =
                handles.stream()
                        .map(handle -> handle.getIntersection(range))
                        .filter(Objects::nonNull)
                        .toList();
        // As in a task of Flink's: what only the restore may use is closed behind it.
        try (CloseableRegistry restoring = new CloseableRegistry()) {
            return new Task<>(
                    range,
                    (AbstractKeyedStateBackend<K>)
                            kind.createKeyedStateBackend(
                                    new KeyedStateBackendParametersImpl<>(
                                            environment,
                                            new JobID(),
                                            "operator",
                                            keys.serializer(),
                                            KeySpace.KEY_GROUPS,
                                            range,
                                            environment.getTaskKvStateRegistry(),
                                            clock,
                                            metrics,
                                            (name, value) -> {},
                                            assigned,
                                            restoring,
                                            SHARE_OF_SLOT)),
                    padding);
        }
    }

    KeyGroupRange range() {
        return range;
    }

    States<K> states() {
        return states;
    }

    AbstractKeyedStateBackend<K> backend() {
        return backend;
    }

    boolean owns(Object key) {
        return range.contains(KeySpace.keyGroup(key));
    }

    /** Starts a checkpoint or a savepoint; the asynchronous part is the caller's to run. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long id, SnapshotType type, boolean canonical, CheckpointStreamFactory storage)
            throws Exception {
        CheckpointOptions options =
                new CheckpointOptions(type, CheckpointStorageLocationReference.getDefault());
        return canonical
                ? canonical(backend.savepoint(), id, options, storage)
                : backend.snapshot(id, id, storage, options);
    }

    private static <K> RunnableFuture<SnapshotResult<KeyedStateHandle>> canonical(
            SavepointResources<K> resources,
            long id,
            CheckpointOptions options,
            CheckpointStreamFactory storage)
            throws Exception {
        return new SnapshotStrategyRunner<>(
                        "savepoint",
                        new SavepointSnapshotStrategy<>(resources.getSnapshotResources()),
                        new CloseableRegistry(),
                        resources.getPreferredSnapshotExecutionType())
                .snapshot(id, id, storage, options);
    }

    /** A whole snapshot of the stock backend. */
    SnapshotResult<KeyedStateHandle> stockSnapshot(long id, CheckpointStreamFactory storage)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                snapshot(id, CheckpointType.CHECKPOINT, false, storage);
        snapshot.run();
        return snapshot.get();
    }

    @Override
    public void close() throws IOException {
        try {
            backend.close();
        } finally {
            backend.dispose();
        }
    }
}
