package io.streamfusion.state.paimon.model;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * Files in the memory of this process, for checkpoints of many short histories. A directory is
 * there as long as a file is below it.
 */
final class MemoryFileSystem extends FileSystem {
    static final String SCHEME = "sfmodel";

    /** On whose behalf this thread writes. */
    private static final ThreadLocal<Object> WRITER = new ThreadLocal<>();

    private static final MemoryFileSystem INSTANCE = new MemoryFileSystem();

    private final Map<String, MemoryFile> files = new ConcurrentHashMap<>();
    private final AtomicInteger openStreams = new AtomicInteger();

    private MemoryFileSystem() {}

    static MemoryFileSystem instance() {
        return INSTANCE;
    }

    /** Files that this thread creates from now on are this one's. */
    void writeFor(Object newWriter) {
        WRITER.set(newWriter);
    }

    /** The file, or null. */
    MemoryFile find(Path path) {
        return files.get(name(path));
    }

    Collection<MemoryFile> all() {
        return List.copyOf(files.values());
    }

    int openStreams() {
        return openStreams.get();
    }

    /** Forgets everything, open streams too. */
    void clear() {
        files.clear();
        openStreams.set(0);
    }

    private static String name(Path path) {
        return path.toUri().getPath();
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
        MemoryFile file = new MemoryFile(name(path), WRITER.get());
        MemoryFile present = files.putIfAbsent(file.name(), file);
        if (present != null) {
            if (mode == WriteMode.NO_OVERWRITE) {
                throw new IOException("Is there already: " + present);
            }
            files.put(file.name(), file);
        }
        openStreams.incrementAndGet();
        return new Output(file);
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        openStreams.incrementAndGet();
        FSDataInputStream in =
                new ByteStreamStateHandle(name(path), present(path).content()).openInputStream();
        return new Input(in);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path);
    }

    private MemoryFile present(Path path) throws FileNotFoundException {
        MemoryFile file = find(path);
        if (file == null) {
            throw new FileNotFoundException("Not there, or deleted: " + path);
        }
        return file;
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        MemoryFile file = find(path);
        if (file != null) {
            return new Status(path, file.content().length, false);
        }
        String folder = name(path) + "/";
        if (files.keySet().stream().noneMatch(name -> name.startsWith(folder))) {
            throw new FileNotFoundException(path.toString());
        }
        return new Status(path, 0, true);
    }

    @Override
    public boolean delete(Path path, boolean recursive) {
        return files.remove(name(path)) != null;
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        MemoryFile file = present(from);
        MemoryFile renamed = file.named(name(to));
        if (files.putIfAbsent(renamed.name(), renamed) != null) {
            return false;
        }
        files.remove(file.name());
        return true;
    }

    @Override
    public boolean mkdirs(Path path) {
        return true;
    }

    @Override
    public FileStatus[] listStatus(Path path) {
        String folder = name(path) + "/";
        return files.values().stream()
                .filter(file -> file.name().startsWith(folder))
                .map(file -> child(path, folder, file))
                .distinct()
                .toArray(FileStatus[]::new);
    }

    private static Status child(Path path, String folder, MemoryFile file) {
        String below = file.name().substring(folder.length());
        int slash = below.indexOf('/');
        return slash < 0
                ? new Status(new Path(path, below), file.content().length, false)
                : new Status(new Path(path, below.substring(0, slash)), 0, true);
    }

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) {
        return new BlockLocation[0];
    }

    @Override
    public Path getWorkingDirectory() {
        return new Path(getUri());
    }

    @Override
    public Path getHomeDirectory() {
        return new Path(getUri());
    }

    @Override
    public URI getUri() {
        return URI.create(SCHEME + ":///");
    }

    @Override
    public boolean isDistributedFS() {
        return true;
    }

    /** Shows what was written when it is closed. */
    private final class Output extends FSDataOutputStream {
        private final MemoryFile file;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean open = true;

        private Output(MemoryFile file) {
            this.file = file;
        }

        @Override
        public long getPos() {
            return bytes.size();
        }

        @Override
        public synchronized void write(int b) throws IOException {
            requireOpen();
            bytes.write(b);
        }

        @Override
        public synchronized void write(byte[] b, int offset, int length) throws IOException {
            requireOpen();
            bytes.write(b, offset, length);
        }

        private void requireOpen() throws IOException {
            if (!open) {
                throw new IOException("Closed: " + file);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void sync() {}

        @Override
        public synchronized void close() {
            if (open) {
                open = false;
                file.fill(bytes.toByteArray());
                openStreams.decrementAndGet();
            }
        }
    }

    private final class Input extends FSDataInputStream {
        private final FSDataInputStream in;
        private boolean open = true;

        private Input(FSDataInputStream in) {
            this.in = in;
        }

        @Override
        public void seek(long position) throws IOException {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }

        @Override
        public int read(byte[] b, int offset, int length) throws IOException {
            return in.read(b, offset, length);
        }

        @Override
        public synchronized void close() throws IOException {
            if (open) {
                open = false;
                in.close();
                openStreams.decrementAndGet();
            }
        }
    }

    private record Status(Path getPath, long getLen, boolean isDir) implements FileStatus {
        @Override
        public long getBlockSize() {
            return getLen;
        }

        @Override
        public short getReplication() {
            return 1;
        }

        @Override
        public long getModificationTime() {
            return 0;
        }

        @Override
        public long getAccessTime() {
            return 0;
        }
    }
}
