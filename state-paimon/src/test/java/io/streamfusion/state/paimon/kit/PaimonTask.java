package io.streamfusion.state.paimon.kit;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;

/**
 * A task with backends whose checkpoints are tables in a directory that is reached through {@link
 * TestFileSystem}, and a job manager that retains the last checkpoint.
 */
public final class PaimonTask implements AutoCloseable {
    private static final int KEY_GROUPS = 128;
    private static final int BUFFER_BYTES = 4096;

    private final Path directory;
    private final SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
    private final Backends<Integer> backends = new Backends<>(IntSerializer.INSTANCE, KEY_GROUPS);
    private KeyedStateHandle retained;

    public PaimonTask(Path directory) {
        this.directory = directory;
    }

    public KeyGroupRange allKeyGroups() {
        return backends.allKeyGroups();
    }

    /** A backend of all key groups. */
    public CheckpointableKeyedStateBackend<Integer> backend(KeyedStateHandle... handles)
            throws Exception {
        return backend(new Configuration(), allKeyGroups(), handles);
    }

    /** A configured backend of some key groups. */
    public CheckpointableKeyedStateBackend<Integer> backend(
            Configuration configuration, KeyGroupRange range, KeyedStateHandle... handles)
            throws Exception {
        return backends.create(
                new StreamFusionPaimonStateBackend(true), range, List.of(handles), configuration);
    }

    /** Storage of a checkpoint, whose own files go to the folder {@code exclusive}. */
    public CheckpointStreamFactory storage(String exclusive) throws IOException {
        Files.createDirectories(directory.resolve(exclusive));
        return new FsCheckpointStreamFactory(
                TestFileSystem.path(directory).getFileSystem(),
                TestFileSystem.path(directory.resolve(exclusive)),
                TestFileSystem.path(directory.resolve("shared")),
                0,
                BUFFER_BYTES);
    }

    /** Begins a snapshot; the caller runs its asynchronous part. */
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(
            CheckpointableKeyedStateBackend<Integer> backend, long id, SnapshotType type)
            throws Exception {
        return backend.snapshot(
                id,
                id,
                storage((type.isSavepoint() ? "savepoint-" : "chk-") + id),
                new CheckpointOptions(type, CheckpointStorageLocationReference.getDefault()));
    }

    /** Takes a checkpoint that the job manager acknowledges and does not complete. */
    public KeyedStateHandle checkpoint(CheckpointableKeyedStateBackend<Integer> backend, long id)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                begin(backend, id, CheckpointType.CHECKPOINT);
        return acknowledged(snapshot, id);
    }

    /** Runs a checkpoint to its end unless it was, and acknowledges it. */
    public KeyedStateHandle acknowledged(
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot, long id) throws Exception {
        snapshot.run();
        KeyedStateHandle handle = snapshot.get().getJobManagerOwnedSnapshot();
        ((IncrementalRemoteKeyedStateHandle) handle).registerSharedStates(jobManager, id);
        return handle;
    }

    /** Takes a checkpoint and completes it; the one before is deleted. */
    public KeyedStateHandle complete(CheckpointableKeyedStateBackend<Integer> backend, long id)
            throws Exception {
        KeyedStateHandle handle = checkpoint(backend, id);
        ((CheckpointListener) backend).notifyCheckpointComplete(id);
        jobManager.unregisterUnusedState(id);
        if (retained != null) {
            retained.discardState();
        }
        retained = handle;
        return handle;
    }

    /** Takes a savepoint in the backend's own format. */
    public KeyedStateHandle savepoint(CheckpointableKeyedStateBackend<Integer> backend, long id)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                begin(backend, id, SavepointType.savepoint(SavepointFormatType.NATIVE));
        snapshot.run();
        return snapshot.get().getJobManagerOwnedSnapshot();
    }

    /** All files below a folder of the storage. */
    public List<Path> files(String folder) throws IOException {
        Path root = directory.resolve(folder);
        if (!Files.exists(root)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    @Override
    public void close() throws IOException {
        TestFileSystem.setRoom(Long.MAX_VALUE);
        backends.close();
        jobManager.close();
    }
}
