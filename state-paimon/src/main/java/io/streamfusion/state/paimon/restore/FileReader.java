package io.streamfusion.state.paimon.restore;

import io.streamfusion.state.memory.restore.RestoreSource;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.IOUtils;

/** Reads pieces of a file. One thread; cancellation closes it under that thread's hands. */
final class FileReader implements Closeable {
    private final StreamStateHandle file;
    private final CloseableRegistry cancellation;
    private final FSDataInputStream in;

    FileReader(StreamStateHandle file, CloseableRegistry cancellation) throws IOException {
        this.file = file;
        this.cancellation = cancellation;
        this.in = file.openInputStream();
        try {
            cancellation.registerCloseable(in);
        } catch (IOException e) {
            IOUtils.closeQuietly(in);
            throw e;
        }
    }

    /** Reads {@code length} bytes from {@code offset} on to the start of {@code target}. */
    void read(long offset, byte[] target, int length) throws IOException {
        seek(offset);
        int present = in.readNBytes(target, 0, length);
        if (present < length) {
            throw endsAt(offset + present, offset + length);
        }
    }

    /**
     * Reads the bytes from {@code offset} on that fill {@code target}, by way of {@code piece}:
     * Flink's streams read into nothing but heap arrays.
     */
    void read(long offset, MemorySegment target, byte[] piece) throws IOException {
        seek(offset);
        long length = target.byteSize();
        long done = 0;
        while (done < length) {
            int wanted = (int) Math.min(piece.length, length - done);
            int present = in.readNBytes(piece, 0, wanted);
            MemorySegment.copy(piece, 0, target, ValueLayout.JAVA_BYTE, done, present);
            done += present;
            if (present < wanted) {
                throw endsAt(offset + done, offset + length);
            }
        }
    }

    private void seek(long offset) throws IOException {
        if (in.getPos() != offset) {
            in.seek(offset);
        }
    }

    private CorruptCheckpointException endsAt(long end, long wanted) {
        return new CorruptCheckpointException(
                RestoreSource.describe(file),
                end,
                "the file ends here, but it should have " + wanted + " bytes or more");
    }

    @Override
    public void close() {
        cancellation.unregisterCloseable(in);
        IOUtils.closeQuietly(in);
    }
}
