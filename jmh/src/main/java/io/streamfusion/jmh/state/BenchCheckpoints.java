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
 * <p>Used by one thread. {@link #close()} removes the directory.
 */
final class BenchCheckpoints implements AutoCloseable {
    private final java.nio.file.Path directory;
    private final CheckpointStorageAccess storage;
    private final SharedStateRegistry registry = new SharedStateRegistryImpl();
    private final CloseableRegistry cancelRegistry = new CloseableRegistry();
    private long lastId;
    private KeyedStateHandle last;

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

    /** Registers a finished checkpoint, confirms it to the backend and drops the one before. */
    void confirm(BenchBackend backend, KeyedStateHandle handle) throws Exception {
        handle.registerSharedStates(registry, lastId);
        listener(backend).notifyCheckpointComplete(lastId);
        KeyedStateHandle subsumed = last;
        last = handle;
        if (subsumed != null) {
            registry.unregisterUnusedState(lastId);
            subsumed.discardState();
            listener(backend).notifyCheckpointSubsumed(lastId - 1);
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

    /** Bytes of all files in checkpoint storage. */
    long storedBytes() throws IOException {
        try (Stream<java.nio.file.Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).mapToLong(BenchCheckpoints::size).sum();
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

    private static InternalCheckpointListener listener(BenchBackend backend) {
        return (InternalCheckpointListener) backend.keyed();
    }

    private static long size(java.nio.file.Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
