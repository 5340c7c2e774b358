package io.streamfusion.state.memory.restore;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataInputStreamWrapper;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;

/** A file that does something when it is read for the n-th time. */
final class HookedFile implements StreamStateHandle {
    private static final long serialVersionUID = 1L;

    /** What happens then. */
    interface Hook {
        void run() throws IOException;
    }

    private final StreamStateHandle file;
    private final transient AtomicLong readsLeft;
    private final transient Hook hook;

    HookedFile(StreamStateHandle file, AtomicLong readsLeft, Hook hook) {
        this.file = file;
        this.readsLeft = readsLeft;
        this.hook = hook;
    }

    @Override
    public FSDataInputStream openInputStream() throws IOException {
        return new FSDataInputStreamWrapper(file.openInputStream()) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                if (readsLeft.decrementAndGet() == 0) {
                    hook.run();
                }
                return super.read(target, offset, length);
            }
        };
    }

    @Override
    public Optional<byte[]> asBytesIfInMemory() {
        return Optional.empty();
    }

    @Override
    public PhysicalStateHandleID getStreamStateHandleID() {
        return file.getStreamStateHandleID();
    }

    @Override
    public void discardState() throws Exception {
        file.discardState();
    }

    @Override
    public long getStateSize() {
        return file.getStateSize();
    }
}
