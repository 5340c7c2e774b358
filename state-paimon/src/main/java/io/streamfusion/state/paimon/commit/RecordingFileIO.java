package io.streamfusion.state.paimon.commit;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.paimon.flink.FlinkFileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's file systems for Paimon, remembering each file that is written through it. Streams are
 * closed when the snapshot is cancelled, and a stream that was closed so fails its writer. One
 * thread.
 */
final class RecordingFileIO extends FlinkFileIO {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(RecordingFileIO.class);

    private final transient CloseableRegistry cancellation;

    /** Lengths of the files; of one that is being written, 0. */
    private final transient Map<Path, Long> written = new LinkedHashMap<>();

    RecordingFileIO(Path table, CloseableRegistry cancellation) {
        super(table);
        this.cancellation = cancellation;
    }

    /** The files written so far and their lengths, in the order of writing. */
    Map<Path, Long> written() {
        return new LinkedHashMap<>(written);
    }

    /** Deletes what was written. */
    void discard() {
        for (Path file : written().keySet()) {
            try {
                super.delete(file, false);
            } catch (IOException e) {
                LOG.warn("Cannot delete {}, which a failed snapshot leaves.", file, e);
            }
        }
        written.clear();
    }

    @Override
    public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException {
        written.put(path, 0L);
        PositionOutputStream out = super.newOutputStream(path, overwrite);
        RecordingStream recorded = new RecordingStream(path, out);
        try {
            cancellation.registerCloseable(out);
        } catch (IOException e) {
            out.close();
            throw e;
        }
        return recorded;
    }

    @Override
    public boolean rename(Path src, Path dst) throws IOException {
        Long bytes = written.get(src);
        if (bytes != null) {
            written.put(dst, bytes);
        }
        boolean renamed = super.rename(src, dst);
        if (bytes != null) {
            written.remove(renamed ? src : dst);
        }
        return renamed;
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        boolean deleted = super.delete(path, recursive);
        written.remove(path);
        return deleted;
    }

    private final class RecordingStream extends PositionOutputStream {
        private final Path path;
        private final PositionOutputStream out;
        private boolean closed;

        private RecordingStream(Path path, PositionOutputStream out) {
            this.path = path;
            this.out = out;
        }

        @Override
        public long getPos() throws IOException {
            return out.getPos();
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
        }

        @Override
        public void write(byte[] bytes) throws IOException {
            out.write(bytes);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            closed = true;
            boolean ours = cancellation.unregisterCloseable(out);
            if (!ours) {
                throw new IOException("The snapshot was cancelled while it wrote " + path + ".");
            }
            long bytes = out.getPos();
            out.close();
            written.put(path, bytes);
        }
    }
}
