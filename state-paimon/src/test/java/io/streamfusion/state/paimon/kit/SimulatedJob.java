package io.streamfusion.state.paimon.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.runtime.state.testutils.TestCompletedCheckpointStorageLocation;

/**
 * A job with one subtask whose checkpoints are tables. It does with handles what Flink's checkpoint
 * coordinator does: registers shared files when a task acknowledges, subsumes, gives up, restores
 * from metadata that were written down, and lets Flink's registry delete.
 *
 * @param <K> type of the keys
 */
public final class SimulatedJob<K> implements AutoCloseable {
    private static final int KEY_GROUPS = 128;
    private static final int BUFFER_BYTES = 4096;
    private static final OperatorID OPERATOR = new OperatorID(1, 2);

    private final java.nio.file.Path directory;
    private final Path storage;
    private final int numRetained;
    private final Configuration configuration;
    private final Backends<K> backends;

    /** Of the present job; a job that is restored from a checkpoint has its own. */
    private SharedStateRegistryImpl registry = new SharedStateRegistryImpl();

    private final TreeMap<Long, IncrementalRemoteKeyedStateHandle> retained = new TreeMap<>();

    /** Checkpoints that did not complete and whose new shared files the registry still knows. */
    private final TreeMap<Long, IncrementalRemoteKeyedStateHandle> givenUp = new TreeMap<>();

    /**
     * @param directory of the local disk, where everything is
     * @param storage the same directory as Flink names it
     * @param numRetained how many completed checkpoints are kept
     */
    public SimulatedJob(
            java.nio.file.Path directory,
            Path storage,
            int numRetained,
            Configuration configuration,
            TypeSerializer<K> keySerializer) {
        this.directory = directory;
        this.storage = storage;
        this.numRetained = numRetained;
        this.configuration = configuration;
        this.backends = new Backends<>(keySerializer, KEY_GROUPS);
    }

    /** A job whose storage is a directory that is reached through {@link TestFileSystem}. */
    public static SimulatedJob<Integer> onTestFileSystem(
            java.nio.file.Path directory, int numRetained) {
        return new SimulatedJob<>(
                directory,
                TestFileSystem.path(directory),
                numRetained,
                new Configuration(),
                IntSerializer.INSTANCE);
    }

    public Backends<K> backends() {
        return backends;
    }

    public int numberOfKeyGroups() {
        return KEY_GROUPS;
    }

    /** A new attempt of the subtask; earlier ones live on until they are disposed of. */
    public CheckpointableKeyedStateBackend<K> attempt(KeyedStateHandle... restored)
            throws Exception {
        return backends.create(
                new StreamFusionPaimonStateBackend(true),
                backends.allKeyGroups(),
                List.of(restored),
                configuration);
    }

    /** A new attempt from the last completed checkpoint. */
    public CheckpointableKeyedStateBackend<K> failover() throws Exception {
        return attempt(retained.lastEntry().getValue());
    }

    /** Begins a checkpoint; the caller runs its asynchronous part. */
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(
            CheckpointableKeyedStateBackend<K> backend, long id) throws Exception {
        return begin(backend, id, CheckpointType.CHECKPOINT);
    }

    /** Begins a checkpoint of that type. */
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(
            CheckpointableKeyedStateBackend<K> backend, long id, CheckpointType type)
            throws Exception {
        Path own = new Path(storage, "chk-" + id);
        own.getFileSystem().mkdirs(own);
        return backend.snapshot(
                id,
                id,
                new FsCheckpointStreamFactory(
                        storage.getFileSystem(), own, new Path(storage, "shared"), 0, BUFFER_BYTES),
                new CheckpointOptions(type, CheckpointStorageLocationReference.getDefault()));
    }

    /** The task is done with a checkpoint and the coordinator learns of it, in time or late. */
    public IncrementalRemoteKeyedStateHandle acknowledge(
            long id, RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) throws Exception {
        IncrementalRemoteKeyedStateHandle handle =
                (IncrementalRemoteKeyedStateHandle) snapshot.get().getJobManagerOwnedSnapshot();
        handle.registerSharedStates(registry, id);
        return handle;
    }

    /** Completes an acknowledged checkpoint and deletes what is too old. */
    public void complete(
            CheckpointableKeyedStateBackend<K> backend,
            long id,
            IncrementalRemoteKeyedStateHandle handle)
            throws Exception {
        registry.checkpointCompleted(id);
        retained.put(id, handle);
        while (retained.size() > numRetained) {
            retained.pollFirstEntry().getValue().discardState();
        }
        registry.unregisterUnusedState(retained.firstKey());
        givenUp.headMap(retained.firstKey()).clear();
        ((CheckpointListener) backend).notifyCheckpointComplete(id);
    }

    /** Takes a checkpoint and completes it. */
    public IncrementalRemoteKeyedStateHandle complete(
            CheckpointableKeyedStateBackend<K> backend, long id) throws Exception {
        return complete(backend, id, CheckpointType.CHECKPOINT);
    }

    /** Takes a checkpoint of that type and completes it. */
    public IncrementalRemoteKeyedStateHandle complete(
            CheckpointableKeyedStateBackend<K> backend, long id, CheckpointType type)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = begin(backend, id, type);
        snapshot.run();
        IncrementalRemoteKeyedStateHandle handle = acknowledge(id, snapshot);
        complete(backend, id, handle);
        return handle;
    }

    /**
     * The coordinator throws an acknowledged checkpoint away: it was aborted, or nobody waits for
     * it. Its new shared files go when a later checkpoint is the oldest one.
     */
    public void giveUp(long id, IncrementalRemoteKeyedStateHandle handle) throws Exception {
        handle.discardState();
        givenUp.put(id, handle);
    }

    /** The completed checkpoints that are kept. */
    public Map<Long, IncrementalRemoteKeyedStateHandle> retained() {
        return new TreeMap<>(retained);
    }

    /** The last completed checkpoint. */
    public IncrementalRemoteKeyedStateHandle last() {
        return retained.lastEntry().getValue();
    }

    /**
     * Another job, which is started from the last completed checkpoint of this one as it was
     * written down. This one ends and leaves only that checkpoint.
     */
    public IncrementalRemoteKeyedStateHandle restart(RecoveryClaimMode mode) throws Exception {
        long id = retained.lastKey();
        OperatorState operator = reread(id).getOperatorStates().stream().findFirst().orElseThrow();
        CompletedCheckpoint restored =
                new CompletedCheckpoint(
                        new JobID(),
                        id,
                        0,
                        1,
                        Map.of(OPERATOR, operator),
                        List.of(),
                        CheckpointProperties.forCheckpoint(
                                CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION),
                        new TestCompletedCheckpointStorageLocation(),
                        null);
        while (retained.size() > 1) {
            retained.pollFirstEntry().getValue().discardState();
        }
        registry.unregisterUnusedState(id);
        registry.close();
        registry = new SharedStateRegistryImpl();
        registry.registerAllAfterRestored(restored, mode);
        retained.clear();
        givenUp.clear();
        IncrementalRemoteKeyedStateHandle handle =
                (IncrementalRemoteKeyedStateHandle)
                        operator.getState(0).getManagedKeyedState().iterator().next();
        if (mode == RecoveryClaimMode.CLAIM) {
            retained.put(id, handle);
        }
        return handle;
    }

    /** The metadata of a retained checkpoint, written and read as Flink does. */
    private CheckpointMetadata reread(long id) throws IOException {
        OperatorState operator = new OperatorState("operator", "uid", OPERATOR, 1, KEY_GROUPS);
        operator.putState(
                0, OperatorSubtaskState.builder().setManagedKeyedState(retained.get(id)).build());
        java.nio.file.Path file = directory.resolve("chk-" + id).resolve("_metadata");
        try (OutputStream out = Files.newOutputStream(file)) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(id, List.of(operator), List.of()), out);
        }
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            return Checkpoints.loadCheckpointMetadata(
                    in,
                    getClass().getClassLoader(),
                    new Path(storage, "chk-" + id + "/_metadata").toString());
        } finally {
            Files.delete(file);
        }
    }

    /** Lets Flink delete every checkpoint of the job. */
    public void discardAll() throws Exception {
        for (IncrementalRemoteKeyedStateHandle handle : retained.values()) {
            handle.discardState();
        }
        retained.clear();
        givenUp.clear();
        registry.unregisterUnusedState(Long.MAX_VALUE);
    }

    /**
     * Every file that a retained checkpoint names is there, with its length, and nothing else is,
     * but for shared files of given-up checkpoints, which may be there as long as they may be used.
     */
    public void assertOwnership() throws IOException {
        Set<java.nio.file.Path> named = new TreeSet<>();
        for (IncrementalRemoteKeyedStateHandle handle : retained.values()) {
            named.addAll(filesOf(handle));
        }
        Set<java.nio.file.Path> allowed = new TreeSet<>(named);
        for (IncrementalRemoteKeyedStateHandle handle : givenUp.values()) {
            handle.getSharedState().forEach(file -> allowed.add(local(file.getHandle())));
        }
        Set<java.nio.file.Path> found = files();
        assertThat(without(named, found)).as("files that are named and not there").isEmpty();
        assertThat(without(found, allowed)).as("files that nobody owns").isEmpty();
    }

    private static Set<java.nio.file.Path> without(
            Set<java.nio.file.Path> files, Set<java.nio.file.Path> others) {
        Set<java.nio.file.Path> rest = new TreeSet<>(files);
        rest.removeAll(others);
        return rest;
    }

    /** Every file that a handle names, on the local disk; fails on one of another length. */
    public static Set<java.nio.file.Path> filesOf(IncrementalRemoteKeyedStateHandle handle) {
        Set<java.nio.file.Path> files = new TreeSet<>();
        files.add(local(handle.getMetaDataStateHandle()));
        Stream.concat(handle.getSharedState().stream(), handle.getPrivateState().stream())
                .map(HandleAndLocalPath::getHandle)
                .forEach(file -> files.add(local(file)));
        return files;
    }

    private static java.nio.file.Path local(StreamStateHandle handle) {
        java.nio.file.Path file =
                java.nio.file.Path.of(((FileStateHandle) handle).getFilePath().getPath());
        if (Files.exists(file)) {
            assertThat(file).hasSize(handle.getStateSize());
        }
        return file;
    }

    /** All files of the storage. */
    public Set<java.nio.file.Path> files() throws IOException {
        try (Stream<java.nio.file.Path> all = Files.walk(directory)) {
            return new TreeSet<>(all.filter(Files::isRegularFile).toList());
        }
    }

    @Override
    public void close() throws IOException {
        backends.close();
        registry.close();
    }
}
