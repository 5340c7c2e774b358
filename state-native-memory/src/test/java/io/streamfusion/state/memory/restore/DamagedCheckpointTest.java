package io.streamfusion.state.memory.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What is damaged is refused with its name and place, and before it can be used. */
@ExtendWith(NoNativeLeaks.class)
class DamagedCheckpointTest {
    private static final List<Integer> KEYS = List.of(1, 2);

    @TempDir Path directory;
    private final Backends<Integer> backends = new Backends<>(IntSerializer.INSTANCE, 4);
    private final SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
    private Storage storage;
    private IncrementalRemoteKeyedStateHandle checkpoint;
    private Map<String, String> expected;

    /** A checkpoint of two segments. */
    @BeforeEach
    void takeCheckpoint() throws Exception {
        storage = new Storage(directory);
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        storage.completeCheckpoint(backend, 1).registerSharedStates(jobManager, 1);
        contents.change(KEYS, 2);
        checkpoint = (IncrementalRemoteKeyedStateHandle) storage.completeCheckpoint(backend, 2);
        checkpoint.registerSharedStates(jobManager, 2);
        expected = contents.read(KEYS);
        assertThat(checkpoint.getSharedState()).hasSize(2);
        Backends.dispose(backend);
    }

    @AfterEach
    void closeBackends() throws Exception {
        backends.close();
    }

    @Test
    void everyByteOfEverySegmentIsCovered() throws Exception {
        Random random = new Random(5);
        for (Path file : segments()) {
            byte[] intact = Files.readAllBytes(file);
            for (int at = 0; at < intact.length; at++) {
                byte[] damaged = intact.clone();
                damaged[at] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, damaged);
                assertRefused(file, "byte " + at + " of " + intact.length);
            }
            Files.write(file, intact);
        }
        assertThat(read(checkpoint)).isEqualTo(expected);
    }

    @Test
    void truncatedSegmentsAreRefused() throws Exception {
        for (Path file : segments()) {
            byte[] intact = Files.readAllBytes(file);
            for (int length = 0; length < intact.length; length += 13) {
                Files.write(file, Arrays.copyOf(intact, length));
                assertRefused(file, "cut to " + length);
            }
            Files.write(file, intact);
        }
    }

    @Test
    void everyByteOfTheManifestIsCovered() throws Exception {
        Random random = new Random(6);
        Path file = pathOf(checkpoint.getMetaDataStateHandle());
        byte[] intact = Files.readAllBytes(file);
        for (int at = 0; at < intact.length; at++) {
            byte[] damaged = intact.clone();
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, damaged);
            assertRefused(file, "byte " + at);
        }
        for (int length = 0; length < intact.length; length += 17) {
            Files.write(file, Arrays.copyOf(intact, length));
            assertRefused(file, "cut to " + length);
        }
    }

    @Test
    void exchangedSegmentsAreRefused() throws Exception {
        List<Path> segments = segments();
        byte[] first = Files.readAllBytes(segments.get(0));
        byte[] second = Files.readAllBytes(segments.get(1));
        Files.write(segments.get(0), second);
        Files.write(segments.get(1), first);
        assertRefused(segments.get(0), "exchanged");
    }

    @Test
    void bytesAppendedToASegmentAreNotRead() throws Exception {
        for (Path file : segments()) {
            Files.write(file, new byte[] {1, 2, 3}, StandardOpenOption.APPEND);
        }
        assertThat(read(checkpoint)).isEqualTo(expected);
    }

    @Test
    void aMissingFileIsNamed() throws Exception {
        Path file = segments().get(1);
        Files.delete(file);
        assertThatThrownBy(() -> backends.restored(checkpoint))
                .hasStackTraceContaining(file.getFileName().toString());
    }

    @Test
    void checkpointsOfOtherBackendsAreNamedAsSuch() throws Exception {
        for (Backends.Type type : List.of(Backends.Type.ROCKSDB, Backends.Type.HASHMAP)) {
            CheckpointableKeyedStateBackend<Integer> other =
                    backends.create(type.backend(), backends.allKeyGroups(), List.of());
            Contents.of(other).write(KEYS, 1);
            KeyedStateHandle handle = storage.checkpoint(other, 3);
            assertThatThrownBy(() -> backends.restored(handle))
                    .hasStackTraceContaining("written by another state backend")
                    .hasStackTraceContaining("canonical");
        }
    }

    /** RocksDB, in turn, refuses ours. */
    @Test
    void ourCheckpointsAreRefusedByOthers() {
        assertThatThrownBy(
                        () ->
                                backends.create(
                                        Backends.Type.ROCKSDB.backend(),
                                        backends.allKeyGroups(),
                                        List.of(checkpoint)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void anotherKeySerializerIsRefused() throws Exception {
        try (Backends<Long> other = new Backends<>(LongSerializer.INSTANCE, 4)) {
            assertThatThrownBy(() -> other.restored(checkpoint))
                    .hasStackTraceContaining("StateMigrationException")
                    .hasStackTraceContaining("key serializer");
        }
    }

    /** A failed restore leaves the task able to restore again, from another copy say. */
    @Test
    void aFailedRestoreHoldsNothing() throws Exception {
        long handles = StreamFusionAbi.sf_live_handles();
        Path file = segments().get(0);
        byte[] intact = Files.readAllBytes(file);
        Files.write(file, new byte[intact.length]);
        assertRefused(file, "zeroes");
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(handles);
        Files.write(file, intact);
        assertThat(read(checkpoint)).isEqualTo(expected);
    }

    /** State that no descriptor asks for is carried along. */
    @Test
    void statesThatTheJobDroppedAreKept() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.restored(checkpoint);
        backend.setCurrentKey(1);
        backend.getPartitionedState(
                        "",
                        StringSerializer.INSTANCE,
                        new ValueStateDescriptor<>("new", LongSerializer.INSTANCE))
                .update(1L);
        KeyedStateHandle next = storage.checkpoint(backend, 3);
        next.registerSharedStates(jobManager, 3);
        assertThat(read(next)).isEqualTo(expected);
    }

    private List<Path> segments() {
        return checkpoint.getSharedState().stream().map(f -> pathOf(f.getHandle())).toList();
    }

    private static Path pathOf(StreamStateHandle file) {
        return Path.of(((FileStateHandle) file).getFilePath().toUri());
    }

    private Map<String, String> read(KeyedStateHandle handle) throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backends.restored(handle);
        Map<String, String> found = Contents.of(backend).read(KEYS);
        Backends.dispose(backend);
        return found;
    }

    private void assertRefused(Path file, String damage) {
        Optional<Throwable> refusal = Optional.empty();
        try {
            read(checkpoint);
        } catch (Exception e) {
            refusal = Optional.of(e);
        }
        assertThat(refusal).as(damage).isPresent();
        StringBuilder messages = new StringBuilder();
        for (Throwable t = refusal.get(); t != null; t = t.getCause()) {
            messages.append(t.getMessage()).append('\n');
        }
        assertThat(messages.toString())
                .as(damage)
                .contains(file.getFileName().toString())
                .containsPattern("offset|byte ");
    }
}
