package io.streamfusion.state.memory.model;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;

/**
 * Checkpoint storage in memory that knows which files there are, and refuses to read deleted ones.
 */
final class ModelFiles implements ModelStorage {
    private static final int MAX_FILE_BYTES = 64 << 20;

    private final Set<ModelFile> present = ConcurrentHashMap.newKeySet();
    private final AtomicInteger openStreams = new AtomicInteger();

    /** A file; equal to another one by its name. */
    private final class ModelFile extends ByteStreamStateHandle implements Written {
        private static final long serialVersionUID = 1L;

        private final transient Object writer;

        private ModelFile(ByteStreamStateHandle content, Object writer) {
            super(content.getHandleName(), content.getData());
            this.writer = writer;
            present.add(this);
        }

        @Override
        public String toString() {
            int shown = Math.min(8, getData().length);
            String begin = new String(getData(), 0, shown, StandardCharsets.ISO_8859_1);
            return begin + "... (" + getData().length + " bytes)";
        }

        @Override
        public Object writer() {
            return writer;
        }

        @Override
        public FSDataInputStream openInputStream() throws IOException {
            if (!present.contains(this)) {
                throw new FileNotFoundException("Deleted: " + this);
            }
            return super.openInputStream();
        }

        @Override
        public void discardState() {
            present.remove(this);
        }
    }

    @Override
    public CheckpointStreamFactory factory(Object writer) {
        return new CheckpointStreamFactory() {
            @Override
            public CheckpointStateOutputStream createCheckpointStateOutputStream(
                    CheckpointedStateScope scope) {
                openStreams.incrementAndGet();
                return new ModelStream(writer);
            }

            @Override
            public boolean canFastDuplicate(
                    StreamStateHandle stateHandle, CheckpointedStateScope scope) {
                return false;
            }

            @Override
            public List<StreamStateHandle> duplicate(
                    List<StreamStateHandle> stateHandles, CheckpointedStateScope scope) {
                throw new UnsupportedOperationException("Files in memory are not duplicated.");
            }
        };
    }

    @Override
    public Optional<Written> find(StreamStateHandle handle) {
        return handle instanceof ModelFile file && present.contains(file)
                ? Optional.of(file)
                : Optional.empty();
    }

    @Override
    public Collection<Written> present() {
        return Set.copyOf(present);
    }

    @Override
    public int openStreams() {
        return openStreams.get();
    }

    @Override
    public void close() {
        present.clear();
    }

    private final class ModelStream
            extends MemCheckpointStreamFactory.MemoryCheckpointOutputStream {
        private final Object writer;
        private boolean counted = true;

        private ModelStream(Object writer) {
            super(MAX_FILE_BYTES);
            this.writer = writer;
        }

        @Override
        public void close() {
            super.close();
            closed();
        }

        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            StreamStateHandle content = super.closeAndGetHandle();
            closed();
            return content == null ? null : new ModelFile((ByteStreamStateHandle) content, writer);
        }

        private synchronized void closed() {
            if (counted) {
                counted = false;
                openStreams.decrementAndGet();
            }
        }
    }
}
