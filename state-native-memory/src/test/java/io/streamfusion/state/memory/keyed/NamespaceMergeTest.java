package io.streamfusion.state.memory.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.testing.Backends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalAppendingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Session windows merge their states as they do with hashmap. */
@ExtendWith(NoNativeLeaks.class)
public class NamespaceMergeTest implements TestedBackend {
    private static final TimeWindow FIRST = new TimeWindow(0, 10);
    private static final TimeWindow SECOND = new TimeWindow(20, 30);
    private static final TimeWindow BRIDGE = new TimeWindow(5, 25);
    private static final TimeWindow NEVER_FILLED = new TimeWindow(100, 110);
    private static final TimeWindow MERGED = new TimeWindow(0, 30);

    @ParameterizedTest
    @EnumSource(Backends.class)
    void aLateRowBridgesTwoListSessions(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            InternalListState<String, TimeWindow, Long> state =
                    state(backend, new ListStateDescriptor<>("list", LongSerializer.INSTANCE));
            fillAndMerge(backend, state);

            assertThat(state.getInternal()).containsExactly(1L, 2L, 3L, 4L);
            assertSourcesAreEmpty(state);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void aLateRowBridgesTwoReducedSessions(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            InternalReducingState<String, TimeWindow, Long> state =
                    state(
                            backend,
                            new ReducingStateDescriptor<>(
                                    "sum", Long::sum, LongSerializer.INSTANCE));
            fillAndMerge(backend, state);

            assertThat(state.get()).isEqualTo(10L);
            assertSourcesAreEmpty(state);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void aLateRowBridgesTwoAggregatedSessions(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            InternalAggregatingState<String, TimeWindow, Long, Long, String> state =
                    state(
                            backend,
                            new AggregatingStateDescriptor<>(
                                    "agg", new Sum(), LongSerializer.INSTANCE));
            fillAndMerge(backend, state);

            assertThat(state.get()).isEqualTo("sum 10");
            assertSourcesAreEmpty(state);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void nothingToMergeChangesNothing(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            InternalReducingState<String, TimeWindow, Long> state =
                    state(
                            backend,
                            new ReducingStateDescriptor<>(
                                    "sum", Long::sum, LongSerializer.INSTANCE));
            backend.setCurrentKey("key");
            state.add(7L);
            state.mergeNamespaces(MERGED, null);
            state.mergeNamespaces(MERGED, List.of());
            state.mergeNamespaces(MERGED, List.of(NEVER_FILLED));

            assertThat(state.get()).isEqualTo(7L);
        }
    }

    /** The state as operators that merge windows see it. */
    @SuppressWarnings("unchecked")
    private static <S extends State, I extends State> I state(
            AbstractKeyedStateBackend<String> backend, StateDescriptor<S, ?> descriptor)
            throws Exception {
        return (I) backend.getPartitionedState(MERGED, new TimeWindow.Serializer(), descriptor);
    }

    private static void fillAndMerge(
            AbstractKeyedStateBackend<String> backend,
            InternalMergingState<String, TimeWindow, Long, ?, ?> state)
            throws Exception {
        backend.setCurrentKey("key");
        add(state, MERGED, 1L);
        add(state, FIRST, 2L);
        add(state, SECOND, 3L);
        add(state, BRIDGE, 4L);
        state.mergeNamespaces(MERGED, Arrays.asList(FIRST, SECOND, NEVER_FILLED, BRIDGE));
        state.setCurrentNamespace(MERGED);
    }

    private static void add(
            InternalAppendingState<String, TimeWindow, Long, ?, ?> state,
            TimeWindow window,
            long value)
            throws Exception {
        state.setCurrentNamespace(window);
        state.add(value);
    }

    private static void assertSourcesAreEmpty(
            InternalAppendingState<String, TimeWindow, Long, ?, ?> state) throws Exception {
        for (TimeWindow source : List.of(FIRST, SECOND, NEVER_FILLED, BRIDGE)) {
            state.setCurrentNamespace(source);
            assertThat(state.getInternal()).isNull();
        }
    }

    private static final class Sum implements AggregateFunction<Long, Long, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(Long value, Long accumulator) {
            return value + accumulator;
        }

        @Override
        public String getResult(Long accumulator) {
            return "sum " + accumulator;
        }

        @Override
        public Long merge(Long first, Long second) {
            return first + second;
        }
    }
}
