package io.streamfusion.state.paimon.snapshot;

import io.streamfusion.state.memory.snapshot.SnapshotFailureTest;
import io.streamfusion.state.memory.snapshot.kit.FailurePoint;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.paimon.kit.TestFileSystem;
import io.streamfusion.state.paimon.kit.TestedPaimonBackend;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.junit.jupiter.api.AfterEach;

/** What the memory backend promises, on checkpoints that are tables; the file system fails. */
class PaimonSnapshotFailureTest extends SnapshotFailureTest implements TestedPaimonBackend {
    private static final int BUFFER_BYTES = 4096;

    @AfterEach
    void makeRoom() {
        TestFileSystem.setRoom(Long.MAX_VALUE);
    }

    @Override
    protected Storage storage(Path in) throws IOException {
        return new Storage(in, TestFileSystem::path);
    }

    @Override
    protected FailurePoint failing(Storage in, long bytes) throws IOException {
        CheckpointStreamFactory factory = in.factory();
        TestFileSystem.setRoom(bytes);
        return new FailurePoint() {
            private boolean failed;

            @Override
            public CheckpointStreamFactory factory() {
                return factory;
            }

            @Override
            public boolean failed() {
                return failed || TestFileSystem.isFull();
            }

            @Override
            public void insteadOfFailing(Runnable action) {
                TestFileSystem.whenFull(action);
            }

            @Override
            public void close() {
                failed = failed();
                TestFileSystem.setRoom(Long.MAX_VALUE);
            }
        };
    }

    @Override
    protected CheckpointStreamFactory withoutExclusiveFiles(Storage in) throws IOException {
        FsCheckpointStreamFactory all = in.factory();
        return new FsCheckpointStreamFactory(
                all.getTargetPath(CheckpointedStateScope.SHARED).getFileSystem(),
                all.getTargetPath(CheckpointedStateScope.EXCLUSIVE),
                all.getTargetPath(CheckpointedStateScope.SHARED),
                0,
                BUFFER_BYTES) {
            @Override
            public FsCheckpointStateOutputStream createCheckpointStateOutputStream(
                    CheckpointedStateScope scope) throws IOException {
                if (scope == CheckpointedStateScope.EXCLUSIVE) {
                    throw new IOException(TestFileSystem.MESSAGE);
                }
                return super.createCheckpointStateOutputStream(scope);
            }
        };
    }
}
