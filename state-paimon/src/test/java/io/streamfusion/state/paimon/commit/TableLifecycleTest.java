package io.streamfusion.state.paimon.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.kit.PaimonTask;
import io.streamfusion.state.paimon.kit.Tables;
import io.streamfusion.state.paimon.kit.TestFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tables on a file system that is not local: failures, deletions, savepoints. */
@ExtendWith(NoNativeLeaks.class)
class TableLifecycleTest {
    private static final List<Integer> KEYS = IntStream.range(0, 300).boxed().toList();
    private static final List<Integer> FEW_KEYS = List.of(3, 7, 250);

    @TempDir Path directory;
    private PaimonTask task;

    @BeforeEach
    void createTask() {
        task = new PaimonTask(directory);
    }

    @AfterEach
    void closeTask() throws Exception {
        task.close();
    }

    @Test
    void everyFileOfASnapshotHasAnOwner() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = task.backend();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        KeyedStateHandle last = task.complete(backend, 1);
        for (int id = 2; id < 20; id++) {
            contents.change(id % 3 == 0 ? KEYS : FEW_KEYS, id);
            last = task.complete(backend, id);
        }
        Path table = Tables.find(directory).get(0);
        Map<String, String> rows = Tables.byKey(Tables.open(table));
        assertThat(rows).isNotEmpty();
        assertThat(task.files("shared").stream().filter(f -> isOf(f, "snapshot"))).hasSize(1);
        assertThat(task.files("shared").stream().filter(f -> isOf(f, "schema"))).hasSize(1);
        assertThat(task.files("shared").stream().filter(f -> isOf(f, "manifest"))).hasSize(4);
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(Contents.of(task.backend(last)).drain(KEYS)).isEqualTo(expected);
    }

    private static boolean isOf(Path file, String folder) {
        return file.getParent().getFileName().toString().equals(folder);
    }

    @Test
    void aFailedSnapshotLeavesNothing() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = task.backend();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        int failures = 0;
        long id = 1;
        for (long room = 0; ; room += 6_000, id++) {
            TestFileSystem.setRoom(room);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                    task.begin(backend, id, CheckpointType.CHECKPOINT);
            snapshot.run();
            try {
                snapshot.get();
                break;
            } catch (java.util.concurrent.ExecutionException e) {
                assertThat(e).hasRootCauseMessage(TestFileSystem.MESSAGE);
                assertThat(task.files("")).isEmpty();
                failures++;
            }
        }
        assertThat(failures).isGreaterThan(5);
        TestFileSystem.setRoom(Long.MAX_VALUE);
        contents.change(FEW_KEYS, 2);
        KeyedStateHandle next = task.complete(backend, id + 1);
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(Contents.of(task.backend(next)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void aFailedSavepointLeavesNoFolder() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = task.backend();
        Contents.of(backend).write(KEYS, 1);
        int failures = 0;
        for (long room = 0; ; room += 6_000) {
            TestFileSystem.setRoom(room);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> savepoint =
                    task.begin(backend, 1, SavepointType.savepoint(SavepointFormatType.NATIVE));
            savepoint.run();
            if (savepoint.state() == Future.State.SUCCESS) {
                break;
            }
            assertThatThrownBy(savepoint::get).hasRootCauseMessage(TestFileSystem.MESSAGE);
            assertThat(directory.resolve("savepoint-1")).isEmptyDirectory();
            failures++;
        }
        assertThat(failures).isGreaterThan(5);
    }

    @Test
    void anAbortedCheckpointMayBeDeletedAtAnyTime() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = task.backend();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        task.complete(backend, 1);
        contents.change(KEYS, 2);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> aborted =
                task.begin(backend, 2, CheckpointType.CHECKPOINT);
        aborted.run();
        ((CheckpointListener) backend).notifyCheckpointAborted(2);
        contents.change(FEW_KEYS, 3);
        KeyedStateHandle last = task.complete(backend, 3);
        aborted.get().getJobManagerOwnedSnapshot().discardState();
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(Tables.byKey(Tables.open(Tables.find(directory).get(0)))).isNotEmpty();
        assertThat(Contents.of(task.backend(last)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void aNativeSavepointIsATableInItsOwnDirectory() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = task.backend();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        task.complete(backend, 1);
        List<Path> shared = task.files("shared");
        KeyedStateHandle savepoint = task.savepoint(backend, 2);
        contents.change(FEW_KEYS, 3);
        task.complete(backend, 3);

        assertThat(task.files("savepoint-2")).isNotEmpty();
        assertThat(shared).isNotEmpty();
        Path table = Tables.find(directory.resolve("savepoint-2")).get(0);
        assertThat(Tables.byKey(Tables.open(table))).isNotEmpty();
        for (HandleAndLocalPath file :
                ((IncrementalRemoteKeyedStateHandle) savepoint).getPrivateState()) {
            // Found relative to the savepoint, so that it may be moved.
            String path = ((RelativeFileStateHandle) file.getHandle()).getRelativePath();
            assertThat(directory.resolve("savepoint-2").resolve(path)).exists();
        }
        Map<String, String> first = Contents.of(task.backend(savepoint)).drain(KEYS);
        assertThat(first).hasSizeGreaterThan(3000);
        savepoint.discardState();
        assertThat(directory.resolve("savepoint-2")).isEmptyDirectory();
    }

    @Test
    void storageWithoutDirectoriesGetsSegments() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = task.backend();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        task.complete(backend, 1);
        contents.change(FEW_KEYS, 2);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                backend.snapshot(
                        2,
                        2,
                        new MemCheckpointStreamFactory(64 << 20),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
        snapshot.run();
        KeyedStateHandle inMemory = snapshot.get().getJobManagerOwnedSnapshot();
        ((CheckpointListener) backend).notifyCheckpointComplete(2);
        contents.change(FEW_KEYS, 3);
        KeyedStateHandle last = task.complete(backend, 3);
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(Contents.of(task.backend(last)).drain(KEYS)).isEqualTo(expected);
        CheckpointableKeyedStateBackend<Integer> fromSegments = task.backend(inMemory);
        Contents<Integer> again = Contents.of(fromSegments);
        again.change(FEW_KEYS, 3);
        KeyedStateHandle table = task.complete(fromSegments, 4);
        assertThat(Contents.of(task.backend(table)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void anotherNumberOfBucketsBeginsAnew() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = task.backend();
        Contents.of(backend).write(KEYS, 1);
        KeyedStateHandle handle = task.complete(backend, 1);
        Configuration other = new Configuration();
        other.set(PaimonOptions.BUCKETS, 3);
        CheckpointableKeyedStateBackend<Integer> next =
                task.backend(other, task.allKeyGroups(), handle);
        Contents<Integer> contents = Contents.of(next);
        contents.change(FEW_KEYS, 2);
        KeyedStateHandle last = task.checkpoint(next, 2);
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(((IncrementalRemoteKeyedStateHandle) last).getSharedState())
                .noneMatch(
                        file ->
                                ((IncrementalRemoteKeyedStateHandle) handle)
                                        .getSharedState()
                                        .contains(file));
        assertThat(Contents.of(task.backend(last)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void impossibleOptionsAreRefused() {
        Configuration none = new Configuration();
        none.set(PaimonOptions.BUCKETS, 0);
        assertThatThrownBy(() -> task.backend(none, task.allKeyGroups()))
                .hasMessageContaining(PaimonOptions.BUCKETS.key());
    }
}
