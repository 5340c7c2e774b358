package io.streamfusion.state.memory.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.state.memory.testing.Backends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Iterating a map while it changes leaves what hashmap leaves. */
@ExtendWith(NoNativeLeaks.class)
public class MapIterationTest implements TestedBackend {
    private static final int LARGE_VALUE = 100_000;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 129, 1000})
    void removesEverySecondAndReplacesOthers(int size) throws Exception {
        Map<Integer, String> ours = survivors(Backends.STREAMFUSION, size);

        assertThat(ours).isEqualTo(survivors(Backends.HASHMAP, size));
        assertThat(ours).hasSize(size / 2);
        assertThat(ours.values()).allMatch(value -> value.endsWith("!"));
    }

    private Map<Integer, String> survivors(Backends kind, int size) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            MapState<Integer, String> map = map(slot, kind);
            for (int i = 0; i < size; i++) {
                map.put(i, "v" + i);
            }
            Iterator<Map.Entry<Integer, String>> entries = map.iterator();
            while (entries.hasNext()) {
                assertThat(entries.hasNext()).as("asking twice changes nothing").isTrue();
                Map.Entry<Integer, String> entry = entries.next();
                if (entry.getKey() % 2 == 0) {
                    entries.remove();
                } else {
                    assertThat(entry.setValue(entry.getValue() + "!"))
                            .isEqualTo("v" + entry.getKey());
                    assertThat(entry.getValue()).endsWith("!");
                }
            }
            assertThat(entries.hasNext()).isFalse();
            return content(map);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void seesAValueReplacedDuringIteration(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            MapState<Integer, String> map = map(slot, kind);
            for (int i = 0; i < 300; i++) {
                map.put(i, "before");
            }
            int seen = 0;
            for (Map.Entry<Integer, String> entry : map.entries()) {
                if (seen++ == 0) {
                    for (int i = 0; i < 300; i++) {
                        map.put(i, "after");
                    }
                } else {
                    assertThat(entry.getValue()).isEqualTo("after");
                }
            }
            assertThat(seen).isEqualTo(300);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void removesThroughKeysAndValues(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            MapState<Integer, String> map = map(slot, kind);
            for (int i = 0; i < 400; i++) {
                map.put(i, i % 2 == 0 ? "even" : "odd");
            }
            Iterator<Integer> keys = map.keys().iterator();
            while (keys.hasNext()) {
                if (keys.next() < 200) {
                    keys.remove();
                }
            }
            Iterator<String> values = map.values().iterator();
            while (values.hasNext()) {
                if (values.next().equals("odd")) {
                    values.remove();
                }
            }
            Map<Integer, String> left = content(map);
            assertThat(left).hasSize(100);
            assertThat(left.keySet()).allMatch(key -> key >= 200 && key % 2 == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void refusesWhatMakesNoSense(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            MapState<Integer, String> map = map(slot, kind);
            map.put(1, "one");
            Iterator<Map.Entry<Integer, String>> entries = map.iterator();

            assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
            entries.next();
            entries.remove();
            assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
            assertThat(map.isEmpty()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void entriesStayReadableAfterTheIteration(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            MapState<Integer, String> map = map(slot, kind);
            String large = "x".repeat(LARGE_VALUE);
            map.put(1, large);
            map.put(2, large + "2");
            map.put(3, null);
            Map<Integer, Map.Entry<Integer, String>> kept = new HashMap<>();
            for (Map.Entry<Integer, String> entry : map.entries()) {
                kept.put(entry.getKey(), entry);
            }
            assertThat(kept).hasSize(3);
            assertThat(kept.get(1).getValue()).isEqualTo(large);
            assertThat(kept.get(2).getValue()).isEqualTo(large + "2");
            assertThat(kept.get(3).getValue()).isNull();
            assertThat(kept.get(3)).isEqualTo(new AbstractMap.SimpleEntry<>(3, null));
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void anIterationBelongsToTheKeyItBeganWith(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(backend(kind), LongSerializer.INSTANCE);
            MapState<Integer, String> map = map(backend);
            backend.setCurrentKey(1L);
            map.put(1, "of key 1");
            backend.setCurrentKey(2L);
            map.put(2, "of key 2");
            backend.setCurrentKey(1L);
            Iterable<Integer> keysOfOne = map.keys();
            backend.setCurrentKey(2L);
            assertThat(keysOfOne).containsExactly(1);
            assertThat(map.keys()).containsExactly(2);
        }
    }

    private MapState<Integer, String> map(TestSlot slot, Backends kind) throws Exception {
        AbstractKeyedStateBackend<Long> backend = slot.open(backend(kind), LongSerializer.INSTANCE);
        MapState<Integer, String> map = map(backend);
        backend.setCurrentKey(1L);
        return map;
    }

    private static MapState<Integer, String> map(AbstractKeyedStateBackend<Long> backend)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new MapStateDescriptor<>("map", IntSerializer.INSTANCE, StringSerializer.INSTANCE));
    }

    private static Map<Integer, String> content(MapState<Integer, String> map) throws Exception {
        Map<Integer, String> content = new HashMap<>();
        for (Map.Entry<Integer, String> entry : map.entries()) {
            assertThat(content).doesNotContainKey(entry.getKey());
            content.put(entry.getKey(), entry.getValue());
        }
        return content;
    }
}
