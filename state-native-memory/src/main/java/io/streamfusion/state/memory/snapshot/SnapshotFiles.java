package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeSnapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointStreamWithResultProvider;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProvider;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateUtil;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.IOUtils;

/**
 * Writes the files of one checkpoint and remembers them, so that all of them can be discarded when
 * the checkpoint fails. Streams are registered for cancellation while they are open. One thread.
 */
public final class SnapshotFiles {
    private static final int BUFFER_BYTES = 256 * 1024;

    private final CheckpointStreamFactory storage;
    private final CloseableRegistry cancellation;
    private final List<SnapshotResult<StreamStateHandle>> written = new ArrayList<>();
    private final List<Runnable> discards = new ArrayList<>();
    private long bytesWritten;

    private interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    SnapshotFiles(CheckpointStreamFactory storage, CloseableRegistry cancellation) {
        this.storage = storage;
        this.cancellation = cancellation;
    }

    /** Bytes of all files written so far. */
    long bytesWritten() {
        return bytesWritten;
    }

    /** Closed when the snapshot is cancelled: streams that are open meanwhile belong in it. */
    public CloseableRegistry cancellation() {
        return cancellation;
    }

    /**
     * Takes part in discarding, for files that the caller writes past the storage's streams.
     *
     * @param discard deletes what the caller has written by then; must not throw
     */
    public void discardToo(Runnable discard) {
        discards.add(discard);
    }

    /** Counts bytes of files that the caller has written past the storage's streams. */
    public void count(long bytes) {
        bytesWritten += bytes;
    }

    /**
     * Writes the segment of a snapshot to a new file and to the local copy.
     *
     * @return the file; empty when the snapshot has nothing to write
     */
    Optional<StreamStateHandle> upload(
            NativeSnapshot snapshot, CheckpointedStateScope scope, LocalSnapshot local)
            throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        int first = snapshot.next(buffer);
        if (first == 0) {
            return Optional.empty();
        }
        local.open();
        SnapshotResult<StreamStateHandle> file =
                store(
                        CheckpointStreamWithResultProvider.createSimpleStream(scope, storage),
                        out -> {
                            for (int n = first; n > 0; n = snapshot.next(buffer)) {
                                out.write(buffer, 0, n);
                                local.write(buffer, n);
                            }
                        });
        return Optional.of(file.getJobManagerOwnedSnapshot());
    }

    /** Stores a file of an earlier checkpoint once more. */
    StreamStateHandle copy(StreamStateHandle source, CheckpointedStateScope scope)
            throws IOException {
        return store(
                        CheckpointStreamWithResultProvider.createSimpleStream(scope, storage),
                        out -> copyInto(source, out))
                .getJobManagerOwnedSnapshot();
    }

    /**
     * Writes a small file that belongs to this checkpoint alone.
     *
     * @param local where to write a second copy, if at all
     */
    SnapshotResult<StreamStateHandle> writeExclusive(
            byte[] content, long checkpointId, Optional<LocalSnapshotDirectoryProvider> local)
            throws IOException {
        CheckpointedStateScope scope = CheckpointedStateScope.EXCLUSIVE;
        CheckpointStreamWithResultProvider stream =
                local.isPresent()
                        ? CheckpointStreamWithResultProvider.createDuplicatingStream(
                                checkpointId, scope, storage, local.get())
                        : CheckpointStreamWithResultProvider.createSimpleStream(scope, storage);
        return store(stream, out -> out.write(content));
    }

    /** Discards every file, remote and local. */
    void discardAll() {
        written.forEach(StateUtil::discardStateObjectQuietly);
        written.clear();
        discards.forEach(Runnable::run);
        discards.clear();
    }

    private void copyInto(StreamStateHandle source, OutputStream out) throws IOException {
        InputStream in = source.openInputStream();
        try {
            cancellation.registerCloseable(in);
            in.transferTo(out);
        } finally {
            cancellation.unregisterCloseable(in);
            IOUtils.closeQuietly(in);
        }
    }

    private SnapshotResult<StreamStateHandle> store(
            CheckpointStreamWithResultProvider stream, Content content) throws IOException {
        boolean finished = false;
        try {
            cancellation.registerCloseable(stream);
            content.writeTo(stream.getCheckpointOutputStream());
            if (!cancellation.unregisterCloseable(stream)) {
                throw new IOException("The snapshot was cancelled.");
            }
            SnapshotResult<StreamStateHandle> result =
                    stream.closeAndFinalizeCheckpointStreamResult();
            finished = true;
            if (result.getJobManagerOwnedSnapshot() == null) {
                throw new IOException("The checkpoint storage kept no file.");
            }
            written.add(result);
            bytesWritten += result.getStateSize();
            return result;
        } finally {
            if (!finished) {
                cancellation.unregisterCloseable(stream);
                IOUtils.closeQuietly(stream);
            }
        }
    }
}
