package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;
import org.apache.flink.runtime.state.testutils.TestCompletedCheckpointStorageLocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files shared between checkpoints, with Flink's registry as their only deleter. */
@ExtendWith(NoNativeLeaks.class)
public class SharedFilesTest implements TestedBackend {
    private static final List<Integer> KEYS = IntStream.range(0, 200).boxed().toList();

    @TempDir Path directory;
    private Backends<Integer> backends;
    private final Map<Long, Map<String, String>> expected = new HashMap<>();
    private final Map<Long, KeyedStateHandle> handles = new HashMap<>();
    private SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
    private Storage storage;
    private CheckpointableKeyedStateBackend<Integer> backend;
    private Contents<Integer> contents;

    @BeforeEach
    void createBackend() throws Exception {
        backends = new Backends<>(IntSerializer.INSTANCE, 16, () -> backend(true));
        storage = new Storage(directory);
        use(backends.empty());
        contents.write(KEYS, 0);
    }

    @AfterEach
    void closeBackends() throws Exception {
        backends.close();
    }

    private void use(CheckpointableKeyedStateBackend<Integer> next) {
        backend = next;
        contents = Contents.of(next);
    }

    /** Two in flight, one aborted, an older one subsumed, the next restored. */
    @Test
    void concurrentAbortedAndSubsumedCheckpoints() throws Exception {
        acknowledge(1, begin(1));
        complete(1);
        var second = begin(2);
        var third = begin(3);
        acknowledge(3, third);
        acknowledge(2, second);
        abort(2);
        complete(3);
        var fourth = begin(4);
        acknowledge(4, fourth);
        complete(4);
        assertRestores(4);
        for (long id = 5; id < 20; id++) {
            acknowledge(id, begin(id));
            complete(id);
        }
        assertRestores(19);
    }

    /** The job manager completes 2 before it hears of 3, which was begun when 1 was the last. */
    @Test
    void checkpointsThatAlwaysOverlap() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> previous = begin(1);
        for (long id = 2; id < 15; id++) {
            RunnableFuture<SnapshotResult<KeyedStateHandle>> next = begin(id);
            acknowledge(id - 1, previous);
            complete(id - 1);
            assertRestores(id - 1);
            previous = next;
        }
        acknowledge(14, previous);
        complete(14);
        assertRestores(14);
        acknowledge(15, begin(15));
        complete(15);
        assertRestores(15);
    }

    /** Nothing stays behind when every checkpoint but the last is gone. */
    @Test
    void subsumedFilesAreDeleted() throws Exception {
        for (long id = 1; id < 40; id++) {
            acknowledge(id, begin(id));
            complete(id);
            assertThat(rowFiles()).isEqualTo(sharedFilesOf(id));
            assertThat(storage.exclusiveFiles()).as("manifests").hasSize(1);
        }
        expected.put(40L, expected.get(39L));
        acknowledge(40, storage.begin(backend, 40, CheckpointType.FULL_CHECKPOINT));
        complete(40);
        assertThat(rowFiles()).hasSize(1);
        assertRestores(40);
    }

    @Test
    void abortedFilesAreDeletedWithTheNextCheckpoint() throws Exception {
        acknowledge(1, begin(1));
        complete(1);
        acknowledge(2, begin(2));
        Set<Path> withAborted = rowFiles();
        abort(2);
        acknowledge(3, begin(3));
        complete(3);
        assertThat(rowFiles()).hasSameSizeAs(withAborted);
        assertRestores(3);
    }

    @ParameterizedTest
    @EnumSource(
            value = RecoveryClaimMode.class,
            names = {"CLAIM", "NO_CLAIM"})
    void restoresAndGoesOn(RecoveryClaimMode mode) throws Exception {
        for (long id = 1; id <= 3; id++) {
            acknowledge(id, begin(id));
            complete(id);
        }
        Set<Path> filesOfSource = rowFiles();
        use(backends.restored(handles.get(3L)));
        jobManager = new SharedStateRegistryImpl();
        restoreInJobManager(3, mode);
        assertThat(contents.read(KEYS)).isEqualTo(expected.get(3L));

        contents.change(KEYS, 99);
        CheckpointType firstType =
                mode == RecoveryClaimMode.CLAIM
                        ? CheckpointType.CHECKPOINT
                        : CheckpointType.FULL_CHECKPOINT;
        var aborted = storage.begin(backend, 4, firstType);
        acknowledge(4, aborted);
        abort(4);
        Set<Path> beforeFirst = rowFiles();
        expected.put(5L, contents.read(KEYS));
        acknowledge(5, storage.begin(backend, 5, firstType));
        Set<Path> filesOfFirst = rowFiles();
        filesOfFirst.removeAll(beforeFirst);
        assertThat(filesOfFirst).hasSize(1);
        complete(5);
        assertRestores(5);
        for (long id = 6; id < 10; id++) {
            acknowledge(id, begin(id));
            complete(id);
        }
        assertRestores(9);
        if (mode == RecoveryClaimMode.NO_CLAIM) {
            assertThat(rowFiles()).containsAll(filesOfSource);
            for (Path file : filesOfSource) {
                Files.delete(file);
            }
            assertRestores(9);
        }
    }

    /**
     * The files of a native savepoint are found relative to its directory: a checkpoint elsewhere
     * that listed them would not find them again.
     */
    @Test
    void noCheckpointRefersToTheFilesOfASavepoint() throws Exception {
        contents.change(KEYS, 1);
        expected.put(1L, contents.read(KEYS));
        acknowledge(
                1, storage.begin(backend, 1, SavepointType.savepoint(SavepointFormatType.NATIVE)));
        use(backends.restored(handles.get(1L)));
        jobManager = new SharedStateRegistryImpl();
        restoreInJobManager(1, RecoveryClaimMode.CLAIM);
        acknowledge(2, begin(2));
        assertThat(((IncrementalRemoteKeyedStateHandle) handles.get(2L)).getSharedState())
                .isNotEmpty()
                .allSatisfy(
                        file ->
                                assertThat(file.getHandle())
                                        .isNotInstanceOf(RelativeFileStateHandle.class));
        complete(2);
        assertRestores(2);
    }

    private RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(long id) throws Exception {
        contents.change(KEYS, id);
        contents.write(KEYS.subList(0, 3), id);
        expected.put(id, contents.read(KEYS));
        return storage.begin(backend, id, CheckpointType.CHECKPOINT);
    }

    private void acknowledge(long id, RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot)
            throws Exception {
        snapshot.run();
        KeyedStateHandle handle = snapshot.get().getJobManagerOwnedSnapshot();
        handle.registerSharedStates(jobManager, id);
        handles.put(id, handle);
    }

    private void complete(long id) throws Exception {
        jobManager.unregisterUnusedState(id);
        for (long older : List.copyOf(handles.keySet())) {
            if (older < id) {
                handles.remove(older).discardState();
            }
        }
        ((CheckpointListener) backend).notifyCheckpointComplete(id);
    }

    private void abort(long id) throws Exception {
        handles.remove(id).discardState();
        ((CheckpointListener) backend).notifyCheckpointAborted(id);
    }

    /** What the coordinator does with the checkpoint that a job starts from. */
    private void restoreInJobManager(long id, RecoveryClaimMode mode) {
        OperatorID operator = new OperatorID();
        OperatorState state = new OperatorState("operator", "operator", operator, 1, 16);
        state.putState(
                0, OperatorSubtaskState.builder().setManagedKeyedState(handles.get(id)).build());
        CompletedCheckpoint checkpoint =
                new CompletedCheckpoint(
                        backends.environment().getJobID(),
                        id,
                        id,
                        id,
                        Map.of(operator, state),
                        List.of(),
                        CheckpointProperties.forCheckpoint(
                                CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION),
                        new TestCompletedCheckpointStorageLocation(),
                        null);
        jobManager.registerAllAfterRestored(checkpoint, mode);
        if (mode == RecoveryClaimMode.NO_CLAIM) {
            // Another job owns it: it is not discarded with the checkpoints of this one.
            handles.remove(id);
        }
    }

    private Set<Path> rowFiles() throws IOException {
        return storage.sharedFiles().stream().filter(this::holdsRows).collect(Collectors.toSet());
    }

    private Set<Path> sharedFilesOf(long id) {
        return ((IncrementalRemoteKeyedStateHandle) handles.get(id))
                .getSharedState().stream()
                        .map(file -> (FileStateHandle) file.getHandle())
                        .map(file -> Path.of(file.getFilePath().toUri()))
                        .collect(Collectors.toSet());
    }

    private void assertRestores(long id) throws Exception {
        CheckpointableKeyedStateBackend<Integer> restored = backends.restored(handles.get(id));
        assertThat(Contents.of(restored).read(KEYS)).isEqualTo(expected.get(id));
        Backends.dispose(restored);
    }
}
