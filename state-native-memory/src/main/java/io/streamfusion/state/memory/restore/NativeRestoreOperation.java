package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.registry.StateRegistry;
import io.streamfusion.state.memory.snapshot.ForeignCheckpointException;
import io.streamfusion.state.memory.snapshot.RestoredBase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointKeyedStateHandle;
import org.apache.flink.runtime.state.StateSerializerProvider;

/**
 * Fills an empty backend with the state of a checkpoint or savepoint.
 *
 * <p>What another backend wrote in its own format is refused, as is everything damaged. After a
 * failure the store holds an unknown part of the state and must be closed; no thread uses it then.
 *
 * @param <K> type of the keys
 */
public final class NativeRestoreOperation<K> {
    private final RestoreTarget<K> target;
    private final List<KeyedStateHandle> handles;
    private final List<FormReader> readers;
    private final int threads;
    private final boolean incremental;

    /**
     * @param store empty store that receives the rows
     * @param registry empty registry of the same store
     * @param keyGroupRange key groups of the backend
     * @param numberOfKeyGroups maximum parallelism of the job
     * @param keySerializerProvider provider of the key serializer, which learns the restored one
     * @param userClassLoader finds the classes of serializers
     * @param cancellation closes what the restore reads when the task is cancelled
     * @param handles the state; none for a new job
     * @param readers of the forms that can be restored besides canonical savepoints
     * @param threads number of threads that read files
     * @param incremental whether later checkpoints may build on the restored one
     */
    public NativeRestoreOperation(
            NativeStore store,
            StateRegistry registry,
            KeyGroupRange keyGroupRange,
            int numberOfKeyGroups,
            StateSerializerProvider<K> keySerializerProvider,
            ClassLoader userClassLoader,
            CloseableRegistry cancellation,
            Collection<KeyedStateHandle> handles,
            List<FormReader> readers,
            int threads,
            boolean incremental) {
        this.target =
                new RestoreTarget<>(
                        store,
                        registry,
                        keyGroupRange,
                        numberOfKeyGroups,
                        keySerializerProvider,
                        userClassLoader,
                        cancellation);
        this.handles = handles.stream().filter(Objects::nonNull).toList();
        this.readers = List.copyOf(readers);
        this.threads = threads;
        this.incremental = incremental;
    }

    /**
     * Restores.
     *
     * @return the checkpoint on which incremental checkpoints go on, if they can
     */
    public Optional<RestoredBase> restore() throws Exception {
        if (handles.isEmpty()) {
            return Optional.empty();
        }
        List<KeyedStateHandle> canonical = new ArrayList<>();
        List<IncrementalKeyedStateHandle> ours = new ArrayList<>();
        for (KeyedStateHandle handle : handles) {
            if (handle instanceof SavepointKeyedStateHandle) {
                canonical.add(handle);
            } else if (handle instanceof IncrementalKeyedStateHandle incrementalHandle) {
                ours.add(incrementalHandle);
            } else {
                throw new ForeignCheckpointException(
                        handle.toString(),
                        "it is a " + handle.getClass().getSimpleName() + ", not a native snapshot");
            }
        }
        return restore(ours, canonical);
    }

    /**
     * Native handles first, since their rows are loaded into key groups that nobody uses yet.
     * Subtasks of one job may have written different formats.
     */
    private Optional<RestoredBase> restore(
            List<IncrementalKeyedStateHandle> ours, List<KeyedStateHandle> canonical)
            throws Exception {
        Optional<RestoredBase> base = Optional.empty();
        RestoreTarget<K> rest = target;
        if (!ours.isEmpty()) {
            base = new IncrementalRestore<>(target, ours, readers, threads, incremental).restore();
            rest = target.withKeySerializerAgain();
        }
        if (!canonical.isEmpty()) {
            new CanonicalRestore<>(rest, canonical).restore();
        }
        return base;
    }
}
