package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeCompression;
import io.streamfusion.state.memory.StreamFusionOptions;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PlaceholderStreamStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(NoNativeLeaks.class)
public class CheckpointRoundTripTest implements TestedBackend {
    private static final List<Integer> KEYS = IntStream.range(0, 300).boxed().toList();
    private static final List<Integer> FEW_KEYS = List.of(3, 7, 250);

    @TempDir Path directory;
    private Backends<Integer> backends;
    private final SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
    private Storage storage;

    @BeforeEach
    void createStorage() throws Exception {
        backends = new Backends<>(IntSerializer.INSTANCE, 128, () -> backend(true));
        storage = new Storage(directory);
    }

    @AfterEach
    void closeBackends() throws Exception {
        backends.close();
    }

    @Test
    void restoresEveryKindOfState() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        KeyedStateHandle handle = storage.checkpoint(backend, 1);
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(expected).hasSizeGreaterThan(3000);
        assertThat(Contents.of(backends.restored(handle)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void aSnapshotDoesNotSeeLaterChanges() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        var snapshot = storage.begin(backend, 1, CheckpointType.CHECKPOINT);
        Map<String, String> expected = contents.read(KEYS);
        contents.change(KEYS, 2);
        contents.write(KEYS, 3);
        snapshot.run();

        assertThat(contents.read(KEYS)).isNotEqualTo(expected);
        assertThat(
                        Contents.of(backends.restored(snapshot.get().getJobManagerOwnedSnapshot()))
                                .read(KEYS))
                .isEqualTo(expected);
    }

    /** Sets the compression of checkpoints, or the one that comes next to it. */
    protected void compress(Configuration configuration, NativeCompression compression) {
        configuration.set(StreamFusionOptions.CHECKPOINT_COMPRESSION, compression);
    }

    @ParameterizedTest
    @EnumSource(NativeCompression.class)
    void restoresACompressedChain(NativeCompression compression) throws Exception {
        Configuration configuration = new Configuration();
        compress(configuration, compression);
        CheckpointableKeyedStateBackend<Integer> backend =
                backends.create(backend(true), backends.allKeyGroups(), List.of(), configuration);
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        complete(storage.checkpoint(backend, 1), 1, backend);
        for (int i = 2; i < 8; i++) {
            contents.change(KEYS, i);
            complete(storage.checkpoint(backend, i), i, backend);
        }
        contents.change(FEW_KEYS, 8);
        KeyedStateHandle last = complete(storage.checkpoint(backend, 8), 8, backend);
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(sharedFilesOf(last)).hasSizeGreaterThan(5);
        assertThat(Contents.of(backends.restored(last)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void writesWhatChangedAndReusesTheRest() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        KeyedStateHandle full = complete(storage.checkpoint(backend, 1), 1, backend);
        contents.change(FEW_KEYS, 2);
        KeyedStateHandle delta = storage.checkpoint(backend, 2);

        assertThat(delta.getCheckpointedSize()).isLessThan(full.getCheckpointedSize() / 5);
        assertThat(((IncrementalRemoteKeyedStateHandle) delta).getSharedState())
                .extracting(file -> file.getHandle() instanceof PlaceholderStreamStateHandle)
                .containsExactly(true, false);
        complete(delta, 2, backend);
        assertThat(sharedFilesOf(delta)).containsAll(sharedFilesOf(full));
    }

    @Test
    void writesNoRowsWhenNothingChanged() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        KeyedStateHandle first = complete(storage.checkpoint(backend, 1), 1, backend);
        Set<Path> filesOfFirst = rowFiles();
        KeyedStateHandle second = complete(storage.checkpoint(backend, 2), 2, backend);

        assertThat(rowFiles()).isEqualTo(filesOfFirst);
        assertThat(sharedFilesOf(second)).isEqualTo(sharedFilesOf(first));
        assertThat(Contents.of(backends.restored(second)).drain(KEYS))
                .isEqualTo(contents.drain(KEYS));
    }

    @Test
    void restoresABackendWithStatesAndNoRows() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        assertThat(Contents.of(backend).drain(KEYS)).isEmpty();
        KeyedStateHandle handle = complete(storage.checkpoint(backend, 1), 1, backend);

        CheckpointableKeyedStateBackend<Integer> restored = backends.restored(handle);
        Contents<Integer> contents = Contents.of(restored);
        assertThat(contents.drain(KEYS)).isEmpty();
        contents.write(FEW_KEYS, 1);
        KeyedStateHandle second = storage.checkpoint(restored, 2);
        assertThat(Contents.of(backends.restored(second)).drain(KEYS))
                .isEqualTo(contents.drain(KEYS));
    }

    @Test
    void aBackendWithoutStatesHasNoSnapshot() throws Exception {
        assertThat(storage.checkpoint(backends.empty(), 1)).isNull();
        assertThat(storage.canonicalSavepoint(backends.empty(), 1)).isEmpty();
    }

    @Test
    void aSavepointIsSelfContainedAndNoBase() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        KeyedStateHandle checkpoint = complete(storage.checkpoint(backend, 1), 1, backend);
        contents.change(KEYS, 2);
        Set<Path> shared = rowFiles();
        KeyedStateHandle savepoint = storage.nativeSavepoint(backend, 2);
        ((CheckpointListener) backend).notifyCheckpointComplete(2);
        assertThat(rowFiles()).isEqualTo(shared);
        assertThat(((IncrementalRemoteKeyedStateHandle) savepoint).getSharedState())
                .noneMatch(f -> f.getHandle() instanceof PlaceholderStreamStateHandle);

        KeyedStateHandle next = complete(storage.checkpoint(backend, 3), 3, backend);
        assertThat(sharedFilesOf(next)).containsAll(sharedFilesOf(checkpoint));
        Map<String, String> expected = contents.drain(KEYS);
        assertThat(Contents.of(backends.restored(savepoint)).drain(KEYS)).isEqualTo(expected);
        assertThat(Contents.of(backends.restored(next)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void theFullCheckpointOfNoClaimSharesForwardOnly() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        KeyedStateHandle first = complete(storage.checkpoint(backend, 1), 1, backend);
        KeyedStateHandle full =
                storage.take(backend, 2, CheckpointType.FULL_CHECKPOINT)
                        .getJobManagerOwnedSnapshot();
        complete(full, 2, backend);
        assertThat(sharedFilesOf(full))
                .isNotEmpty()
                .doesNotContainAnyElementsOf(sharedFilesOf(first));
        contents.change(FEW_KEYS, 3);
        KeyedStateHandle next = complete(storage.checkpoint(backend, 3), 3, backend);

        assertThat(sharedFilesOf(next)).containsAll(sharedFilesOf(full));
        assertThat(Contents.of(backends.restored(next)).drain(KEYS))
                .isEqualTo(contents.drain(KEYS));
    }

    @Test
    void withoutIncrementalEveryCheckpointIsPrivateAndWhole() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend =
                backends.create(backend(false), backends.allKeyGroups(), List.of());
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        storage.completeCheckpoint(backend, 1);
        contents.change(KEYS, 2);
        IncrementalRemoteKeyedStateHandle handle =
                (IncrementalRemoteKeyedStateHandle) storage.completeCheckpoint(backend, 2);

        assertThat(rowFiles()).isEmpty();
        assertThat(handle.getSharedState()).isEmpty();
        assertThat(handle.getPrivateState())
                .filteredOn(file -> holdsRows(Path.of(file.getLocalPath())))
                .hasSize(1);
        assertThat(Contents.of(backends.restored(handle)).drain(KEYS))
                .isEqualTo(contents.drain(KEYS));
    }

    @Test
    void goesOnIncrementallyAfterARestore() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        complete(storage.checkpoint(backend, 1), 1, backend);
        contents.change(KEYS, 2);
        KeyedStateHandle second = complete(storage.checkpoint(backend, 2), 2, backend);

        CheckpointableKeyedStateBackend<Integer> restored = backends.restored(second);
        Contents<Integer> later = Contents.of(restored);
        later.change(FEW_KEYS, 3);
        KeyedStateHandle third = complete(storage.checkpoint(restored, 3), 3, restored);
        assertThat(sharedFilesOf(third)).containsAll(sharedFilesOf(second));
        assertThat(third.getCheckpointedSize()).isLessThan(second.getCheckpointedSize());
        later.change(KEYS, 4);
        KeyedStateHandle fourth = complete(storage.checkpoint(restored, 4), 4, restored);

        assertThat(Contents.of(backends.restored(fourth)).drain(KEYS)).isEqualTo(later.drain(KEYS));
    }

    private Set<Path> rowFiles() throws IOException {
        return storage.sharedFiles().stream().filter(this::holdsRows).collect(Collectors.toSet());
    }

    /** What the job manager does with an acknowledged checkpoint that completes. */
    private KeyedStateHandle complete(
            KeyedStateHandle handle, long id, CheckpointableKeyedStateBackend<?> backend)
            throws Exception {
        handle.registerSharedStates(jobManager, id);
        ((CheckpointListener) backend).notifyCheckpointComplete(id);
        return handle;
    }

    private static Set<Object> sharedFilesOf(KeyedStateHandle handle) {
        Set<Object> files = new HashSet<>();
        ((IncrementalRemoteKeyedStateHandle) handle)
                .getSharedState()
                .forEach(file -> files.add(file.getHandle().getStreamStateHandleID()));
        return files;
    }
}
