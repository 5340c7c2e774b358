package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Canonical savepoints between all pairs of backends that have one of ours in them. */
@ExtendWith(NoNativeLeaks.class)
public class SavepointMatrixTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir Path directory;

    /** The backend of a type; the suites of other backends replace ours. */
    protected ConfigurableStateBackend create(Backends.Type type) {
        return type.backend();
    }

    static Stream<Arguments> pairs() {
        List<Arguments> pairs = new ArrayList<>();
        for (Backends.Type from : Backends.Type.values()) {
            for (Backends.Type to : Backends.Type.values()) {
                if (from == Backends.Type.STREAMFUSION || to == Backends.Type.STREAMFUSION) {
                    for (boolean ttl : new boolean[] {false, true}) {
                        for (int keyGroups : new int[] {128, 300}) {
                            pairs.add(Arguments.of(from, to, ttl, keyGroups));
                        }
                    }
                }
            }
        }
        return pairs.stream();
    }

    @ParameterizedTest(name = "{0} to {1}, ttl {2}, {3} key groups")
    @MethodSource("pairs")
    void keysOfFixedLength(Backends.Type from, Backends.Type to, boolean ttl, int keyGroups)
            throws Exception {
        List<Long> keys = IntStream.range(-50, 50).mapToObj(i -> i * 7919L).toList();
        move(LongSerializer.INSTANCE, keys, from, to, ttl, keyGroups);
    }

    @ParameterizedTest(name = "{0} to {1}, ttl {2}, {3} key groups")
    @MethodSource("pairs")
    void keysOfVariableLength(Backends.Type from, Backends.Type to, boolean ttl, int keyGroups)
            throws Exception {
        List<String> keys =
                IntStream.range(0, 60).mapToObj(i -> "k".repeat(i % 7) + (i / 3) + "ä").toList();
        move(
                StringSerializer.INSTANCE,
                Stream.concat(Stream.of("", "\u0000"), keys.stream().distinct()).toList(),
                from,
                to,
                ttl,
                keyGroups);
    }

    private <K> void move(
            TypeSerializer<K> keySerializer,
            List<K> keys,
            Backends.Type from,
            Backends.Type to,
            boolean ttl,
            int keyGroups)
            throws Exception {
        Storage storage = new Storage(directory);
        try (Backends<K> backends = new Backends<>(keySerializer, keyGroups)) {
            backends.clock().setCurrentTimestamp(NOW);
            CheckpointableKeyedStateBackend<K> source =
                    backends.create(create(from), backends.allKeyGroups(), List.of());
            Contents<K> written = Contents.of(source, ttl, !ttl && from != Backends.Type.HASHMAP);
            written.write(keys, 1);
            written.change(keys, 2);
            List<KeyedStateHandle> savepoint = storage.canonicalSavepoint(source, 1);
            Map<String, String> expected = written.drain(keys);
            assertThat(expected).hasSizeGreaterThan(keys.size() * 12);

            CheckpointableKeyedStateBackend<K> target =
                    backends.create(create(to), backends.allKeyGroups(), savepoint);
            Contents<K> restored = Contents.of(target, ttl, false);
            assertThat(restored.drain(keys)).isEqualTo(expected);
            assertLivesOn(restored, keys);
            if (ttl) {
                assertTimesCameAlong(backends, to, savepoint, keys);
            }
        }
    }

    /** Rows of a savepoint can be changed and removed like any other. */
    private static <K> void assertLivesOn(Contents<K> restored, List<K> keys) throws Exception {
        Map<String, String> before = restored.read(keys);
        restored.change(keys, 3);
        restored.write(keys.subList(0, 5), 4);
        assertThat(restored.read(keys)).isNotEqualTo(before);
    }

    /** The state expires when the original would have. */
    private <K> void assertTimesCameAlong(
            Backends<K> backends, Backends.Type to, List<KeyedStateHandle> savepoint, List<K> keys)
            throws Exception {
        KeyGroupRange half = KeyGroupRange.of(0, backends.allKeyGroups().getEndKeyGroup() / 2);
        List<KeyedStateHandle> parts =
                savepoint.stream().map(handle -> handle.getIntersection(half)).toList();
        CheckpointableKeyedStateBackend<K> target = backends.create(create(to), half, parts);
        backends.clock().setCurrentTimestamp(NOW + Contents.TTL_MILLIS - 1);
        assertThat(Contents.of(target, true, false).read(keys)).isNotEmpty();
        backends.clock().setCurrentTimestamp(NOW + Contents.TTL_MILLIS);
        assertThat(Contents.of(target, true, false).read(keys)).isEmpty();
    }
}
