package io.streamfusion.state.paimon.restore;

import io.streamfusion.state.memory.restore.RestoreSource;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import java.io.Closeable;
import java.io.IOException;
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
        if (in.getPos() != offset) {
            in.seek(offset);
        }
        int present = in.readNBytes(target, 0, length);
        if (present < length) {
            throw new CorruptCheckpointException(
                    RestoreSource.describe(file),
                    offset + present,
                    "the file ends here, but it should have "
                            + (offset + length)
                            + " bytes or more");
        }
    }

    @Override
    public void close() {
        cancellation.unregisterCloseable(in);
        IOUtils.closeQuietly(in);
    }
}
