package io.streamfusion.state.memory.snapshot.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RunnableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SavepointSnapshotStrategy;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;

/** Checkpoint storage in a directory, without a threshold: every file is a file. */
public final class Storage {
    private static final int BUFFER_BYTES = 4096;

    private final Path shared;
    private final Path exclusive;
    private final Function<Path, org.apache.flink.core.fs.Path> names;

    /** Uses an existing directory. */
    public Storage(Path directory) throws IOException {
        this(directory, path -> new org.apache.flink.core.fs.Path(path.toUri()));
    }

    /**
     * Uses an existing directory through a file system of Flink's.
     *
     * @param names how that file system names a local path
     */
    public Storage(Path directory, Function<Path, org.apache.flink.core.fs.Path> names)
            throws IOException {
        this.names = names;
        shared = Files.createDirectories(directory.resolve("shared"));
        exclusive = Files.createDirectories(directory.resolve("exclusive"));
    }

    /** Creates the files of checkpoints. */
    public FsCheckpointStreamFactory factory() throws IOException {
        return new FsCheckpointStreamFactory(
                names.apply(shared).getFileSystem(),
                names.apply(exclusive),
                names.apply(shared),
                0,
                BUFFER_BYTES);
    }

    /** Files where those are that checkpoints share, by path. */
    public Set<Path> sharedFiles() throws IOException {
        return list(shared);
    }

    /** Files of single checkpoints, by path. */
    public Set<Path> exclusiveFiles() throws IOException {
        return list(exclusive);
    }

    private static Set<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return new TreeSet<>(files.filter(Files::isRegularFile).toList());
        }
    }

    /** Starts a snapshot; its asynchronous part is run by the caller. */
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(
            CheckpointableKeyedStateBackend<?> backend, long checkpointId, SnapshotType type)
            throws Exception {
        return backend.snapshot(checkpointId, checkpointId, factory(), options(type));
    }

    /** Takes a whole snapshot. */
    public SnapshotResult<KeyedStateHandle> take(
            CheckpointableKeyedStateBackend<?> backend, long checkpointId, SnapshotType type)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                begin(backend, checkpointId, type);
        snapshot.run();
        return snapshot.get();
    }

    /** Takes a checkpoint. */
    public KeyedStateHandle checkpoint(
            CheckpointableKeyedStateBackend<?> backend, long checkpointId) throws Exception {
        return take(backend, checkpointId, CheckpointType.CHECKPOINT).getJobManagerOwnedSnapshot();
    }

    /** Takes a checkpoint and tells the backend that it is complete. */
    public KeyedStateHandle completeCheckpoint(
            CheckpointableKeyedStateBackend<?> backend, long checkpointId) throws Exception {
        KeyedStateHandle handle = checkpoint(backend, checkpointId);
        ((CheckpointListener) backend).notifyCheckpointComplete(checkpointId);
        return handle;
    }

    /** Takes a savepoint in the backend's own format. */
    public KeyedStateHandle nativeSavepoint(
            CheckpointableKeyedStateBackend<?> backend, long checkpointId) throws Exception {
        return take(backend, checkpointId, SavepointType.savepoint(SavepointFormatType.NATIVE))
                .getJobManagerOwnedSnapshot();
    }

    /** Takes a canonical savepoint the way Flink's operators do; none if there is no state. */
    public List<KeyedStateHandle> canonicalSavepoint(
            CheckpointableKeyedStateBackend<?> backend, long checkpointId) throws Exception {
        try (CloseableRegistry registry = new CloseableRegistry()) {
            KeyedStateHandle handle =
                    canonical(backend.savepoint(), checkpointId, registry)
                            .getJobManagerOwnedSnapshot();
            return handle == null ? List.of() : List.of(handle);
        }
    }

    private <K> SnapshotResult<KeyedStateHandle> canonical(
            SavepointResources<K> resources, long checkpointId, CloseableRegistry registry)
            throws Exception {
        SnapshotType type = SavepointType.savepoint(SavepointFormatType.CANONICAL);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                new SnapshotStrategyRunner<>(
                                "savepoint",
                                new SavepointSnapshotStrategy<>(resources.getSnapshotResources()),
                                registry,
                                resources.getPreferredSnapshotExecutionType())
                        .snapshot(checkpointId, checkpointId, factory(), options(type));
        if (!snapshot.isDone()) {
            snapshot.run();
        }
        return snapshot.get();
    }

    private static CheckpointOptions options(SnapshotType type) {
        return new CheckpointOptions(type, CheckpointStorageLocationReference.getDefault());
    }
}
