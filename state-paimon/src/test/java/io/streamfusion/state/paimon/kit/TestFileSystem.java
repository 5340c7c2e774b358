package io.streamfusion.state.paimon.kit;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * The local file system under a scheme of its own; it can run full, and each {@link FailingCall}
 * can fail.
 */
public final class TestFileSystem extends FileSystem {
    public static final String SCHEME = "sftest";
    public static final String MESSAGE = "The disk is full.";

    private static final AtomicLong ROOM = new AtomicLong(Long.MAX_VALUE);
    private static final AtomicReference<Runnable> WHEN_FULL = new AtomicReference<>();

    private final LocalFileSystem local = LocalFileSystem.getSharedInstance();

    /** Writes fail from so many bytes on. */
    public static void setRoom(long bytes) {
        ROOM.set(bytes);
        WHEN_FULL.set(null);
    }

    /** Whether a write has failed for want of room, or would have. */
    public static boolean isFull() {
        return ROOM.get() < 0;
    }

    /** The write that does not fit does this instead of failing; afterwards there is room. */
    public static void whenFull(Runnable action) {
        WHEN_FULL.set(action);
    }

    /** A directory of the local disk as this file system names it. */
    public static Path path(java.nio.file.Path directory) {
        return new Path(SCHEME + "://" + directory.toAbsolutePath());
    }

    @Override
    public FSDataOutputStream create(Path f, WriteMode overwriteMode) throws IOException {
        FailingCall.CREATE.count();
        FSDataOutputStream out = local.create(f, overwriteMode);
        return new FSDataOutputStream() {
            @Override
            public long getPos() throws IOException {
                return out.getPos();
            }

            @Override
            public void write(int b) throws IOException {
                FailingCall.WRITE.count();
                take(1);
                out.write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                FailingCall.WRITE.count();
                take(length);
                out.write(bytes, offset, length);
            }

            @Override
            public void flush() throws IOException {
                out.flush();
            }

            @Override
            public void sync() throws IOException {
                out.sync();
            }

            @Override
            public void close() throws IOException {
                out.close();
                FailingCall.CLOSE.count();
            }
        };
    }

    private static void take(int bytes) throws IOException {
        if (ROOM.addAndGet(-bytes) >= 0) {
            return;
        }
        Runnable action = WHEN_FULL.getAndSet(null);
        if (action != null) {
            ROOM.set(Long.MAX_VALUE);
            action.run();
        } else {
            throw new IOException(MESSAGE);
        }
    }

    @Override
    public Path getWorkingDirectory() {
        return local.getWorkingDirectory();
    }

    @Override
    public Path getHomeDirectory() {
        return local.getHomeDirectory();
    }

    @Override
    public URI getUri() {
        return URI.create(SCHEME + ":///");
    }

    @Override
    public FileStatus getFileStatus(Path f) throws IOException {
        return local.getFileStatus(f);
    }

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long len)
            throws IOException {
        return local.getFileBlockLocations(file, start, len);
    }

    @Override
    public FSDataInputStream open(Path f, int bufferSize) throws IOException {
        return open(f);
    }

    @Override
    public FSDataInputStream open(Path f) throws IOException {
        FailingCall.OPEN.count();
        FSDataInputStream in = local.open(f);
        return new FSDataInputStream() {
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
                FailingCall.READ.count();
                return in.read();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                FailingCall.READ.count();
                return in.read(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                in.close();
            }
        };
    }

    @Override
    public FileStatus[] listStatus(Path f) throws IOException {
        return local.listStatus(f);
    }

    @Override
    public boolean delete(Path f, boolean recursive) throws IOException {
        return local.delete(f, recursive);
    }

    @Override
    public boolean mkdirs(Path f) throws IOException {
        return local.mkdirs(f);
    }

    @Override
    public boolean rename(Path src, Path dst) throws IOException {
        FailingCall.RENAME.count();
        boolean renamed = local.rename(src, dst);
        FailingCall.RENAME_ANSWER.count();
        return renamed;
    }

    @Override
    public boolean isDistributedFS() {
        return true;
    }
}
