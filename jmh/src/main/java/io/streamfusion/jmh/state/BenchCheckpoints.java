package io.streamfusion.jmh.state;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.InternalCheckpointListener;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SavepointSnapshotStrategy;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;

/**
 * Checkpoint storage in a directory of the local file system, and the part of the JobManager that a
 * chain of checkpoints needs: confirming, sharing of files, and deleting what was subsumed.
 *
 * <p>One call at a time. {@link #close()} removes the directory.
 */
final class BenchCheckpoints implements AutoCloseable {
    private static final long FIRST_ID = 1;
    private static final String DATA_FILE_ENDING = ".parquet";
    private static final String DELETION_VECTOR_FOLDER = "index";

    private final java.nio.file.Path directory;
    private final CheckpointStorageAccess storage;
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private final CloseableRegistry cancelRegistry = new CloseableRegistry();
    private long lastId;
    private KeyedStateHandle last;

    /**
     * Some files.
     *
     * @param files how many
     * @param bytes of them all
     * @param dataFiles how many of them hold rows of a table
     * @param deletionVectorBytes bytes of those that hold deletion vectors of a table
     */
    record Stored(long files, long bytes, long dataFiles, long deletionVectorBytes) {
        private static final Stored NOTHING = new Stored(0, 0, 0, 0);

        private static Stored of(java.nio.file.Path file) {
            boolean data = file.getFileName().toString().endsWith(DATA_FILE_ENDING);
            boolean deletions = file.getParent().endsWith(DELETION_VECTOR_FOLDER);
            long bytes = size(file);
            return new Stored(1, bytes, data ? 1 : 0, deletions ? bytes : 0);
        }

        private Stored plus(Stored other) {
            return new Stored(
                    files + other.files,
                    bytes + other.bytes,
                    dataFiles + other.dataFiles,
                    deletionVectorBytes + other.deletionVectorBytes);
        }

        private static long size(java.nio.file.Path file) {
            try {
                return Files.size(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    BenchCheckpoints() throws IOException {
        directory = Files.createTempDirectory("streamfusion-bench-checkpoints");
        storage =
                new FileSystemCheckpointStorage(new Path(directory.toUri()), 0, -1)
                        .createCheckpointStorage(new JobID());
        storage.initializeBaseLocationsForCheckpoint();
    }

    /** The synchronous part of the next checkpoint. The result runs the asynchronous part. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> start(BenchBackend backend) throws Exception {
        lastId++;
        return backend.keyed()
                .snapshot(
                        lastId,
                        lastId,
                        streams(lastId),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
    }

    /** The asynchronous part. */
    KeyedStateHandle finish(RunnableFuture<SnapshotResult<KeyedStateHandle>> started)
            throws Exception {
        started.run();
        return started.get().getJobManagerOwnedSnapshot();
    }

    /** Registers a finished checkpoint, drops the one before and confirms it to the backend. */
    void confirm(BenchBackend backend, KeyedStateHandle handle) throws Exception {
        register(handle);
        notifyComplete(backend);
    }

    /** The JobManager's part of that, which needs no backend. */
    void register(KeyedStateHandle handle) throws Exception {
        handle.registerSharedStates(registry, lastId);
        KeyedStateHandle subsumed = last;
        last = handle;
        if (subsumed != null) {
            registry.unregisterUnusedState(lastId);
            subsumed.discardState();
        }
    }

    /** The task's part of that: what it hears of the last one registered. */
    void notifyComplete(BenchBackend backend) throws Exception {
        InternalCheckpointListener listener = (InternalCheckpointListener) backend.keyed();
        listener.notifyCheckpointComplete(lastId);
        if (lastId > FIRST_ID) {
            listener.notifyCheckpointSubsumed(lastId - 1);
        }
    }

    /** A whole checkpoint, confirmed. The handle is good until the next one is confirmed. */
    KeyedStateHandle checkpoint(BenchBackend backend) throws Exception {
        KeyedStateHandle handle = finish(start(backend));
        confirm(backend, handle);
        return handle;
    }

    /** A savepoint in the canonical format. */
    KeyedStateHandle canonicalSavepoint(BenchBackend backend) throws Exception {
        lastId++;
        return finish(canonicalStrategy(backend.keyed().savepoint()));
    }

    private <K> RunnableFuture<SnapshotResult<KeyedStateHandle>> canonicalStrategy(
            SavepointResources<K> resources) throws Exception {
        return new SnapshotStrategyRunner<>(
                        "canonical savepoint",
                        new SavepointSnapshotStrategy<>(resources.getSnapshotResources()),
                        cancelRegistry,
                        resources.getPreferredSnapshotExecutionType())
                .snapshot(
                        lastId,
                        lastId,
                        streams(lastId),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
    }

    /** What is in checkpoint storage now. */
    Stored stored() throws IOException {
        try (Stream<java.nio.file.Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(Stored::of)
                    .reduce(Stored.NOTHING, Stored::plus);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() throws IOException {
        BenchBackend.closeAll(cancelRegistry, registry);
        BenchBackend.deleteRecursively(directory);
    }

    private CheckpointStreamFactory streams(long checkpointId) throws IOException {
        return storage.resolveCheckpointStorageLocation(
                checkpointId, CheckpointStorageLocationReference.getDefault());
    }
}
