package io.streamfusion.state.memory.snapshot.kit;

import java.io.IOException;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Checkpoint storage that is full after some bytes. */
public final class FailingStorage implements CheckpointStreamFactory, FailurePoint {
    /** Message of the failure. */
    public static final String MESSAGE = "The disk is full.";

    private final CheckpointStreamFactory storage;
    private final boolean exclusiveFiles;
    private long bytesLeft;
    private boolean failed;
    private Runnable instead;

    /** Fails the write that exceeds so many bytes. */
    public FailingStorage(CheckpointStreamFactory storage, long bytes) {
        this(storage, bytes, true);
    }

    private FailingStorage(CheckpointStreamFactory storage, long bytes, boolean exclusiveFiles) {
        this.storage = storage;
        this.bytesLeft = bytes;
        this.exclusiveFiles = exclusiveFiles;
    }

    /** Fails every file that belongs to one checkpoint alone. */
    public static FailingStorage withoutExclusiveFiles(CheckpointStreamFactory storage) {
        return new FailingStorage(storage, Long.MAX_VALUE, false);
    }

    @Override
    public CheckpointStreamFactory factory() {
        return this;
    }

    @Override
    public void close() {
        bytesLeft = Long.MAX_VALUE;
    }

    @Override
    public void insteadOfFailing(Runnable action) {
        instead = action;
    }

    @Override
    public boolean failed() {
        return failed;
    }

    private void reserve(int bytes) throws IOException {
        bytesLeft -= bytes;
        if (bytesLeft >= 0 || (failed && instead != null)) {
            return;
        }
        failed = true;
        if (instead == null) {
            throw new IOException(MESSAGE);
        }
        instead.run();
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        if (scope == CheckpointedStateScope.EXCLUSIVE && !exclusiveFiles) {
            throw new IOException(MESSAGE);
        }
        return new LimitedStream(storage.createCheckpointStateOutputStream(scope));
    }

    @Override
    public boolean canFastDuplicate(StreamStateHandle stateHandle, CheckpointedStateScope scope) {
        return false;
    }

    @Override
    public List<StreamStateHandle> duplicate(
            List<StreamStateHandle> stateHandles, CheckpointedStateScope scope) {
        throw new UnsupportedOperationException();
    }

    private final class LimitedStream extends CheckpointStateOutputStream {
        private final CheckpointStateOutputStream out;

        private LimitedStream(CheckpointStateOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            reserve(1);
            out.write(b);
        }

        @Override
        public void write(byte[] b, int off, int len) throws IOException {
            reserve(len);
            out.write(b, off, len);
        }

        @Override
        public long getPos() throws IOException {
            return out.getPos();
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
        public StreamStateHandle closeAndGetHandle() throws IOException {
            return out.closeAndGetHandle();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
