package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.FailingStorage;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProviderImpl;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Copies of checkpoints on the task's disk. */
@ExtendWith(NoNativeLeaks.class)
public class LocalRecoveryTest implements TestedBackend {
    private static final List<Integer> KEYS = IntStream.range(0, 300).boxed().toList();

    @TempDir Path remote;
    @TempDir Path local;
    private final SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
    private LocalSnapshotDirectoryProviderImpl directories;
    private Backends<Integer> backends;
    private Storage storage;
    private CheckpointableKeyedStateBackend<Integer> backend;
    private Contents<Integer> contents;

    @BeforeEach
    void createBackend() throws Exception {
        storage = new Storage(remote);
        directories =
                new LocalSnapshotDirectoryProviderImpl(
                        new File[] {local.toFile()}, new JobID(), new JobVertexID(), 0);
        backends =
                new Backends<>(
                        IntSerializer.INSTANCE,
                        16,
                        LocalRecoveryConfig.backupAndRecoveryEnabled(directories),
                        () -> backend(true));
        backend = backends.empty();
        contents = Contents.of(backend);
        contents.write(KEYS, 0);
    }

    @AfterEach
    void closeBackends() throws Exception {
        backends.close();
    }

    @Test
    void restoresWithoutTheRemoteFiles() throws Exception {
        checkpoint(backend, 1);
        contents.change(KEYS, 1);
        checkpoint(backend, 2);
        contents.change(KEYS.subList(0, 5), 2);
        SnapshotResult<KeyedStateHandle> last = checkpoint(backend, 3);
        FileUtils.deleteDirectory(remote.toFile());

        assertThat(read(last.getTaskLocalSnapshot())).isEqualTo(contents.read(KEYS));
        assertThat(localSegments(3)).hasSize(3);
    }

    /** What only the subsumed checkpoint's directory held is read from remote storage instead. */
    @Test
    void aPrunedCopyIsReplacedByTheRemoteFile() throws Exception {
        checkpoint(backend, 1);
        contents.change(KEYS.subList(0, 5), 1);
        var second = storage.begin(backend, 2, CheckpointType.CHECKPOINT);
        FileUtils.deleteDirectory(directories.subtaskSpecificCheckpointDirectory(1));
        second.run();
        second.get().getJobManagerOwnedSnapshot().registerSharedStates(jobManager, 2);

        assertThat(localSegments(2)).hasSize(1);
        assertThat(read(second.get().getTaskLocalSnapshot())).isEqualTo(contents.read(KEYS));
    }

    @Test
    void goesOnAfterALocalRestore() throws Exception {
        checkpoint(backend, 1);
        contents.change(KEYS.subList(0, 5), 1);
        SnapshotResult<KeyedStateHandle> second = checkpoint(backend, 2);
        CheckpointableKeyedStateBackend<Integer> restored =
                backends.restored(second.getTaskLocalSnapshot());
        Contents<Integer> later = Contents.of(restored);
        later.change(KEYS.subList(5, 9), 2);
        SnapshotResult<KeyedStateHandle> third = checkpoint(restored, 3);

        assertThat(localSegments(3)).hasSize(3);
        assertThat(third.getJobManagerOwnedSnapshot().getCheckpointedSize())
                .isLessThan(third.getStateSize() / 3);
        assertThat(read(third.getTaskLocalSnapshot())).isEqualTo(later.read(KEYS));
        assertThat(read(third.getJobManagerOwnedSnapshot())).isEqualTo(later.read(KEYS));
    }

    @Test
    void aRemotelyRestoredBackendKeepsLocalCopiesOfWhatItWrites() throws Exception {
        SnapshotResult<KeyedStateHandle> first = checkpoint(backend, 1);
        FileUtils.deleteDirectory(directories.subtaskSpecificCheckpointDirectory(1));
        CheckpointableKeyedStateBackend<Integer> restored =
                backends.restored(first.getJobManagerOwnedSnapshot());
        Contents<Integer> later = Contents.of(restored);
        later.change(KEYS, 2);
        SnapshotResult<KeyedStateHandle> second = checkpoint(restored, 2);
        assertThat(localSegments(2)).hasSize(1);
        assertThat(read(second.getTaskLocalSnapshot())).isEqualTo(later.read(KEYS));
    }

    /** Two operators chained in one task share the directories of its checkpoints. */
    @Test
    void twoBackendsOfOneTaskKeepApart() throws Exception {
        CheckpointableKeyedStateBackend<Integer> other = backends.empty();
        Contents<Integer> otherContents = Contents.of(other);
        otherContents.write(KEYS, 77);
        for (long id = 1; id < 4; id++) {
            contents.change(KEYS, id);
            otherContents.change(KEYS, 100 + id);
            checkpoint(backend, id);
            checkpoint(other, id);
        }
        SnapshotResult<KeyedStateHandle> mine = checkpoint(backend, 4);
        SnapshotResult<KeyedStateHandle> its = checkpoint(other, 4);
        FileUtils.deleteDirectory(remote.toFile());

        Map<String, String> expected = contents.read(KEYS);
        Map<String, String> expectedOfOther = otherContents.read(KEYS);
        assertThat(expected).isNotEqualTo(expectedOfOther);
        assertThat(read(mine.getTaskLocalSnapshot())).isEqualTo(expected);
        mine.getTaskLocalSnapshot().discardState();
        assertThat(read(its.getTaskLocalSnapshot())).isEqualTo(expectedOfOther);
    }

    @Test
    void fullCheckpointsHaveCopiesToo() throws Exception {
        CheckpointableKeyedStateBackend<Integer> full =
                backends.create(backend(false), backends.allKeyGroups(), List.of());
        Contents<Integer> ofFull = Contents.of(full);
        ofFull.write(KEYS, 5);
        SnapshotResult<KeyedStateHandle> result = checkpoint(full, 1);
        FileUtils.deleteDirectory(remote.toFile());
        assertThat(read(result.getTaskLocalSnapshot())).isEqualTo(ofFull.read(KEYS));
    }

    @Test
    void savepointsHaveNone() throws Exception {
        SnapshotResult<KeyedStateHandle> result =
                storage.take(backend, 1, SavepointType.savepoint(SavepointFormatType.NATIVE));
        assertThat(result.getTaskLocalSnapshot()).isNull();
        assertThat(directories.subtaskSpecificCheckpointDirectory(1)).doesNotExist();
    }

    @Test
    void aCheckpointSucceedsWithoutTheLocalDisk() throws Exception {
        Path taskDirectory = directories.subtaskSpecificCheckpointDirectory(1).toPath();
        Files.createDirectories(taskDirectory.getParent());
        Files.writeString(taskDirectory, "in the way");
        SnapshotResult<KeyedStateHandle> result = checkpoint(backend, 1);
        assertThat(result.getTaskLocalSnapshot()).isNull();
        assertThat(read(result.getJobManagerOwnedSnapshot())).isEqualTo(contents.read(KEYS));
    }

    @Test
    void aFailedCheckpointLeavesNoCopy() throws Exception {
        var snapshot =
                backend.snapshot(
                        1,
                        1,
                        new FailingStorage(storage.factory(), 10_000),
                        CheckpointOptions.forCheckpointWithDefaultLocation());
        snapshot.run();
        assertThatThrownBy(snapshot::get).hasRootCauseMessage(FailingStorage.MESSAGE);
        assertThat(filesBelow(local)).isEmpty();
    }

    @Test
    void aDamagedCopyIsRefused() throws Exception {
        SnapshotResult<KeyedStateHandle> result = checkpoint(backend, 1);
        Path segment = localSegments(1).iterator().next();
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length / 2] ^= 1;
        Files.write(segment, bytes);
        assertThatThrownBy(() -> read(result.getTaskLocalSnapshot()))
                .hasStackTraceContaining(segment.toString())
                .hasStackTraceContaining("offset");
        assertThat(read(result.getJobManagerOwnedSnapshot())).isEqualTo(contents.read(KEYS));
    }

    @Test
    void discardingACopyRemovesIt() throws Exception {
        SnapshotResult<KeyedStateHandle> result = checkpoint(backend, 1);
        assertThat(result.getTaskLocalSnapshot())
                .isInstanceOf(IncrementalLocalKeyedStateHandle.class);
        Objects.requireNonNull(result.getTaskLocalSnapshot()).discardState();
        assertThat(filesBelow(local)).isEmpty();
    }

    private SnapshotResult<KeyedStateHandle> checkpoint(
            CheckpointableKeyedStateBackend<Integer> of, long id) throws Exception {
        SnapshotResult<KeyedStateHandle> result = storage.take(of, id, CheckpointType.CHECKPOINT);
        result.getJobManagerOwnedSnapshot().registerSharedStates(jobManager, id);
        ((CheckpointListener) of).notifyCheckpointComplete(id);
        return result;
    }

    private Map<String, String> read(KeyedStateHandle handle) throws Exception {
        CheckpointableKeyedStateBackend<Integer> restored = backends.restored(handle);
        Map<String, String> found = Contents.of(restored).read(KEYS);
        Backends.dispose(restored);
        return found;
    }

    /** How the names of local files with rows end. */
    protected String localSuffix() {
        return ".segment";
    }

    private Set<Path> localSegments(long checkpointId) throws IOException {
        Set<Path> segments = new TreeSet<>();
        for (Path file :
                filesBelow(directories.subtaskSpecificCheckpointDirectory(checkpointId).toPath())) {
            if (file.toString().endsWith(localSuffix())) {
                segments.add(file);
            }
        }
        return segments;
    }

    private static Set<Path> filesBelow(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return new TreeSet<>(files.filter(Files::isRegularFile).toList());
        }
    }
}
