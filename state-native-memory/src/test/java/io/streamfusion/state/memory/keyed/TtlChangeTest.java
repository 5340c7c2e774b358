package io.streamfusion.state.memory.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.testing.Backends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A time to live that comes or goes between a snapshot and its restore: values are stamped at the
 * restore one way, and lose their stamp the other.
 */
@ExtendWith(NoNativeLeaks.class)
public class TtlChangeTest implements TestedBackend {
    private static final long LIFE = 1000;

    private final MockTtlTimeProvider time = new MockTtlTimeProvider();

    @ParameterizedTest
    @CsvSource({"HASHMAP, true", "HASHMAP, false", "STREAMFUSION, true", "STREAMFUSION, false"})
    void valuesAreStampedWhenTtlIsSwitchedOn(Backends kind, boolean canonical) throws Exception {
        try (TestSlot slot = new TestSlot().withTime(time)) {
            KeyedStateHandle handle = written(slot, kind, false, canonical);
            time.setCurrentTimestamp(LIFE * 10);
            AbstractKeyedStateBackend<String> restored =
                    slot.open(backend(kind), StringSerializer.INSTANCE, handle);
            assertComplete(restored, true);
            time.setCurrentTimestamp(LIFE * 11 - 1);
            assertComplete(restored, true);
            time.setCurrentTimestamp(LIFE * 11);
            restored.setCurrentKey("key");
            assertThat(value(restored, true).value()).isNull();
            assertThat(list(restored, true).get()).isNullOrEmpty();
            assertThat(map(restored, true).get("one")).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({"HASHMAP, true", "HASHMAP, false", "STREAMFUSION, true", "STREAMFUSION, false"})
    void valuesLoseTheirStampWhenTtlIsSwitchedOff(Backends kind, boolean canonical)
            throws Exception {
        try (TestSlot slot = new TestSlot().withTime(time)) {
            KeyedStateHandle handle = written(slot, kind, true, canonical);
            time.setCurrentTimestamp(LIFE * 10);
            AbstractKeyedStateBackend<String> restored =
                    slot.open(backend(kind), StringSerializer.INSTANCE, handle);
            assertComplete(restored, false);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void nullValuesOfMapsStay(Backends kind) throws Exception {
        for (boolean ttl : new boolean[] {false, true}) {
            try (TestSlot slot = new TestSlot().withTime(time)) {
                AbstractKeyedStateBackend<String> backend =
                        slot.open(backend(kind), StringSerializer.INSTANCE);
                backend.setCurrentKey("key");
                map(backend, ttl).put("null", null);
                map(backend, ttl).put("text", "t");
                for (KeyedStateHandle handle :
                        List.of(slot.checkpoint(backend, 1), slot.savepoint(backend, 2))) {
                    AbstractKeyedStateBackend<String> restored =
                            slot.open(backend(kind), StringSerializer.INSTANCE, handle);
                    restored.setCurrentKey("key");
                    MapState<String, String> map = map(restored, ttl);
                    assertThat(map.contains("null")).isTrue();
                    assertThat(map.get("null")).isNull();
                    assertThat(map.get("text")).isEqualTo("t");
                    assertThat(map.keys()).containsExactlyInAnyOrder("null", "text");
                }
            }
        }
    }

    @Test
    void expiredRowsAreSweptWhileRecordsAreProcessed() throws Exception {
        try (TestSlot slot = new TestSlot().withTime(time)) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(true), StringSerializer.INSTANCE);
            time.setCurrentTimestamp(0);
            for (int i = 0; i < 2000; i++) {
                backend.setCurrentKey("key" + i);
                value(backend, true).update((long) i);
                map(backend, true).put("one", "1");
            }
            assertThat(backend.numKeyValueStateEntries()).isEqualTo(4000);
            time.setCurrentTimestamp(LIFE);
            backend.setCurrentKey("alive");
            value(backend, true).update(1L);
            // Upkeep runs once in so many key switches, a bounded step each time.
            for (int i = 0; i < 200_000; i++) {
                backend.setCurrentKey("alive");
            }
            assertThat(backend.numKeyValueStateEntries()).isEqualTo(1);
            assertThat(value(backend, true).value()).isEqualTo(1L);
        }
    }

    @Test
    void savepointsLeaveExpiredListElementsOut() throws Exception {
        try (TestSlot slot = new TestSlot().withTime(time)) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(true), StringSerializer.INSTANCE);
            time.setCurrentTimestamp(0);
            for (int i = 0; i < 50; i++) {
                backend.setCurrentKey("key" + i);
                list(backend, true).add("old, old");
            }
            time.setCurrentTimestamp(LIFE / 2);
            backend.setCurrentKey("key7");
            list(backend, true).addAll(List.of("young", "young, too"));
            time.setCurrentTimestamp(LIFE);
            KeyedStateHandle handle = slot.savepoint(backend, 1);
            // Back to a time at which all would be alive, had they been saved.
            time.setCurrentTimestamp(LIFE / 2);
            AbstractKeyedStateBackend<String> restored =
                    slot.open(backend(true), StringSerializer.INSTANCE, handle);
            assertThat(restored.numKeyValueStateEntries()).isEqualTo(1);
            restored.setCurrentKey("key7");
            assertThat(list(restored, true).get()).containsExactly("young", "young, too");
        }
    }

    private KeyedStateHandle written(TestSlot slot, Backends kind, boolean ttl, boolean canonical)
            throws Exception {
        time.setCurrentTimestamp(0);
        AbstractKeyedStateBackend<String> backend =
                slot.open(backend(kind), StringSerializer.INSTANCE);
        backend.setCurrentKey("key");
        value(backend, ttl).update(7L);
        list(backend, ttl).addAll(List.of("a", "b,c", ""));
        map(backend, ttl).put("one", "1");
        map(backend, ttl).put("null", null);
        return canonical ? slot.savepoint(backend, 1) : slot.checkpoint(backend, 1);
    }

    private static void assertComplete(AbstractKeyedStateBackend<String> backend, boolean ttl)
            throws Exception {
        backend.setCurrentKey("key");
        assertThat(value(backend, ttl).value()).isEqualTo(7L);
        List<String> elements = new ArrayList<>();
        list(backend, ttl).get().forEach(elements::add);
        assertThat(elements).containsExactly("a", "b,c", "");
        TreeMap<String, String> entries = new TreeMap<>();
        map(backend, ttl).entries().forEach(e -> entries.put(e.getKey(), e.getValue()));
        TreeMap<String, String> expected = new TreeMap<>();
        expected.put("one", "1");
        expected.put("null", null);
        assertThat(entries).isEqualTo(expected);
    }

    private static ValueState<Long> value(AbstractKeyedStateBackend<String> backend, boolean ttl)
            throws Exception {
        return state(backend, ttl, new ValueStateDescriptor<>("v", LongSerializer.INSTANCE));
    }

    private static ListState<String> list(AbstractKeyedStateBackend<String> backend, boolean ttl)
            throws Exception {
        return state(backend, ttl, new ListStateDescriptor<>("l", StringSerializer.INSTANCE));
    }

    private static MapState<String, String> map(
            AbstractKeyedStateBackend<String> backend, boolean ttl) throws Exception {
        return state(
                backend,
                ttl,
                new MapStateDescriptor<>(
                        "m", StringSerializer.INSTANCE, StringSerializer.INSTANCE));
    }

    private static <S extends State> S state(
            AbstractKeyedStateBackend<String> backend,
            boolean ttl,
            StateDescriptor<S, ?> descriptor)
            throws Exception {
        if (ttl) {
            descriptor.enableTimeToLive(
                    StateTtlConfig.newBuilder(Duration.ofMillis(LIFE))
                            .cleanupFullSnapshot()
                            .build());
        }
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }
}
