package io.streamfusion.state.memory.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.state.memory.testing.Backends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Absence, null and sizes mean the same as with hashmap, which runs the same assertions. */
@ExtendWith(NoNativeLeaks.class)
public class StateParityTest implements TestedBackend {
    /** Larger than any buffer that is reused from the start. */
    private static final int LARGE = 1_000_000;

    @ParameterizedTest
    @EnumSource(Backends.class)
    @SuppressWarnings("deprecation") // default values of descriptors still work in stock Flink
    void value(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            ValueState<String> state =
                    state(
                            backend,
                            new ValueStateDescriptor<>("v", StringSerializer.INSTANCE, "none"));
            backend.setCurrentKey("a");
            assertThat(state.value()).isEqualTo("none");
            state.update("");
            assertThat(state.value()).isEmpty();
            state.update("x".repeat(LARGE));
            assertThat(state.value()).hasSize(LARGE);
            backend.setCurrentKey("b");
            assertThat(state.value()).isEqualTo("none");
            backend.setCurrentKey("a");
            state.update(null);
            assertThat(state.value()).isEqualTo("none");
            state.clear();
            assertThat(backend.getKeys("v", VoidNamespace.INSTANCE)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void list(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            ListState<String> state =
                    state(backend, new ListStateDescriptor<>("l", StringSerializer.INSTANCE));
            backend.setCurrentKey("a");
            assertThat(state.get()).isNull();
            state.addAll(List.of());
            assertThat(state.get()).isNull();
            state.add("1,2");
            state.addAll(List.of(",", ""));
            state.add("x".repeat(LARGE));
            assertThat(state.get()).containsExactly("1,2", ",", "", "x".repeat(LARGE));

            assertThatThrownBy(() -> state.add(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> state.addAll(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> state.update(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> state.update(Arrays.asList("y", null)))
                    .isInstanceOf(NullPointerException.class);
            assertThat(state.get()).hasSize(4);

            state.update(List.of("only"));
            assertThat(state.get()).containsExactly("only");
            state.update(List.of());
            assertThat(state.get()).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void aLongListKeepsItsOrder(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            ListState<Long> state =
                    state(backend, new ListStateDescriptor<>("l", LongSerializer.INSTANCE));
            backend.setCurrentKey("a");
            for (long i = 0; i < 5000; i++) {
                state.add(i);
            }
            long expected = 0;
            for (Long element : state.get()) {
                assertThat(element).isEqualTo(expected++);
            }
            assertThat(expected).isEqualTo(5000);
            state.clear();
            assertThat(state.get()).isNull();
            state.add(7L);
            assertThat(state.get()).containsExactly(7L);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void map(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            MapState<String, String> state =
                    state(
                            backend,
                            new MapStateDescriptor<>(
                                    "m", StringSerializer.INSTANCE, StringSerializer.INSTANCE));
            backend.setCurrentKey("a");
            assertThat(state.isEmpty()).isTrue();
            assertThat(state.get("k")).isNull();
            assertThat(state.contains("k")).isFalse();
            state.put("k", null);
            assertThat(state.contains("k")).isTrue();
            assertThat(state.get("k")).isNull();
            assertThat(state.isEmpty()).isFalse();
            state.putAll(Map.of("k", "v", "", "empty key", "large", "x".repeat(LARGE)));
            assertThat(state.get("k")).isEqualTo("v");
            assertThat(state.get("")).isEqualTo("empty key");
            assertThat(state.get("large")).hasSize(LARGE);
            assertThat(state.keys()).containsExactlyInAnyOrder("k", "", "large");
            assertThatThrownBy(() -> state.putAll(null)).isInstanceOf(NullPointerException.class);
            state.remove("never there");
            state.remove("k");
            state.remove("large");
            state.remove("");
            assertThat(state.isEmpty()).isTrue();
            for (int i = 0; i < 3000; i++) {
                state.put("k" + i, "v");
            }
            backend.setCurrentKey("b");
            state.put("of b", "stays");
            backend.setCurrentKey("a");
            state.clear();
            assertThat(state.isEmpty()).isTrue();
            assertThat(state.iterator().hasNext()).isFalse();
            backend.setCurrentKey("b");
            assertThat(state.get("of b")).isEqualTo("stays");
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void reducing(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            ReducingState<Long> state =
                    state(
                            backend,
                            new ReducingStateDescriptor<>("r", Long::sum, LongSerializer.INSTANCE));
            backend.setCurrentKey("a");
            assertThat(state.get()).isNull();
            state.add(1L);
            state.add(2L);
            assertThat(state.get()).isEqualTo(3L);
            state.add(null);
            assertThat(state.get()).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void stateOutsideAKeyIsRefused(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            ValueState<String> state =
                    state(backend, new ValueStateDescriptor<>("v", StringSerializer.INSTANCE));
            assertThatThrownBy(state::value).isInstanceOf(NullPointerException.class);
        }
    }

    private static <S extends State> S state(
            AbstractKeyedStateBackend<String> backend, StateDescriptor<S, ?> descriptor)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }
}
