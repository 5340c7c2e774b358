package io.streamfusion.state.memory.rss;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Checkpoint storage that counts and forgets: checkpoints are written, but take no memory here. */
final class DiscardingStorage implements CheckpointStreamFactory {
    private final AtomicLong bytes = new AtomicLong();

    /** Bytes of all files. */
    long bytes() {
        return bytes.get();
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) {
        return new CountingStream();
    }

    @Override
    public boolean canFastDuplicate(StreamStateHandle stateHandle, CheckpointedStateScope scope) {
        return false;
    }

    @Override
    public List<StreamStateHandle> duplicate(
            List<StreamStateHandle> stateHandles, CheckpointedStateScope scope) {
        throw new UnsupportedOperationException("There is nothing to duplicate.");
    }

    private final class CountingStream extends CheckpointStateOutputStream {
        private long position;

        @Override
        public void write(int b) {
            position++;
        }

        @Override
        public void write(byte[] source, int offset, int length) {
            position += length;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public void flush() {}

        @Override
        public void sync() {}

        @Override
        public StreamStateHandle closeAndGetHandle() {
            bytes.addAndGet(position);
            return new Forgotten(new PhysicalStateHandleID(UUID.randomUUID().toString()), position);
        }

        @Override
        public void close() {}
    }

    /** A file that cannot be read again. */
    private record Forgotten(PhysicalStateHandleID id, long size) implements StreamStateHandle {
        private static final long serialVersionUID = 1L;

        @Override
        public FSDataInputStream openInputStream() throws IOException {
            throw new IOException("This storage keeps nothing.");
        }

        @Override
        public Optional<byte[]> asBytesIfInMemory() {
            return Optional.empty();
        }

        @Override
        public PhysicalStateHandleID getStreamStateHandleID() {
            return id;
        }

        @Override
        public void discardState() {}

        @Override
        public long getStateSize() {
            return size;
        }
    }
}
