package io.streamfusion.state.paimon.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.paimon.flink.FlinkFileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's file systems for Paimon, remembering each file that is written through it, and its
 * folder. Streams are closed when the snapshot is cancelled, and a stream that was closed so fails
 * its writer. One thread.
 */
final class RecordingFileIO extends FlinkFileIO {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(RecordingFileIO.class);

    private final transient CloseableRegistry cancellation;

    /** Lengths of the files; of one that is being written, 0. */
    private final transient Map<Path, Long> written = new LinkedHashMap<>();

    private final transient Path table;
    private final boolean exclusive;
    private final transient Set<Path> folders = new LinkedHashSet<>();

    /**
     * @param table directory that all files are below
     * @param exclusive whether nothing else writes there, now or later
     */
    RecordingFileIO(Path table, boolean exclusive, CloseableRegistry cancellation) {
        super(table);
        this.table = table;
        this.exclusive = exclusive;
        this.cancellation = cancellation;
    }

    /** The files written so far and their lengths, in the order of writing. */
    Map<Path, Long> written() {
        return new LinkedHashMap<>(written);
    }

    /**
     * The folders that go with the files, each before the one that it is in; none if others write
     * there, too.
     */
    List<Path> folders() {
        List<Path> all = new ArrayList<>();
        if (exclusive && !folders.isEmpty()) {
            all.addAll(folders);
            all.add(table);
        }
        return all;
    }

    /** Deletes what was written. */
    void discard() {
        List<Path> left = new ArrayList<>(written.keySet());
        left.addAll(folders());
        for (Path path : left) {
            try {
                super.delete(path, false);
            } catch (IOException e) {
                LOG.warn("Cannot delete {}, which a failed snapshot leaves.", path, e);
            }
        }
        written.clear();
        folders.clear();
    }

    @Override
    public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException {
        written.put(path, 0L);
        folders.add(path.getParent());
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
