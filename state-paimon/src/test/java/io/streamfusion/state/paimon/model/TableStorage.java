package io.streamfusion.state.paimon.model;

import io.streamfusion.state.memory.model.ModelStorage;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;

/** Directories that tables can be in. */
final class TableStorage implements ModelStorage {
    private static final int BUFFER_BYTES = 4096;
    private static final Path ROOT = new Path(MemoryFileSystem.SCHEME + ":///checkpoints");

    private final MemoryFileSystem files = MemoryFileSystem.instance();
    private final AtomicLong checkpoints = new AtomicLong();

    @Override
    public CheckpointStreamFactory factory(Object writer) {
        Path exclusive = new Path(ROOT, "chk-" + checkpoints.incrementAndGet());
        return new FsCheckpointStreamFactory(
                files, exclusive, new Path(ROOT, "shared"), 0, BUFFER_BYTES) {
            /** Who asks for it writes there next, on the same thread. */
            @Override
            public Path getTargetPath(CheckpointedStateScope scope) {
                files.writeFor(writer);
                return super.getTargetPath(scope);
            }

            @Override
            public FsCheckpointStateOutputStream createCheckpointStateOutputStream(
                    CheckpointedStateScope scope) throws IOException {
                files.writeFor(writer);
                return super.createCheckpointStateOutputStream(scope);
            }
        };
    }

    @Override
    public Optional<Written> find(StreamStateHandle handle) {
        return handle instanceof FileStateHandle file
                ? Optional.ofNullable(files.find(file.getFilePath()))
                : Optional.empty();
    }

    @Override
    public Collection<Written> present() {
        return List.copyOf(files.all());
    }

    @Override
    public int openStreams() {
        return files.openStreams();
    }

    @Override
    public void close() {
        files.clear();
    }
}
