package io.streamfusion.state.memory.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * The states and timer queues of one keyed backend: five kinds of state in four variants, each
 * registered when it is first used.
 *
 * @param <K> type of the keys
 */
final class States<K> {
    /** Milliseconds of the history's clock. */
    static final int TTL = 100;

    static final int PLAIN = 0;
    static final int WRITE_TTL = 1;
    static final int READ_TTL = 2;

    /** Without time to live and without namespaces. */
    static final int VOID_NAMESPACE = 3;

    static final int VARIANTS = 4;

    private final AbstractKeyedStateBackend<K> backend;
    private final int padding;
    private final List<KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, String>>> queues =
            new ArrayList<>(Arrays.asList(null, null));

    States(AbstractKeyedStateBackend<K> backend, int padding) {
        this.backend = backend;
        this.padding = padding;
    }

    /** Characters that the text of each value is longer. */
    int padding() {
        return padding;
    }

    AbstractKeyedStateBackend<K> backend() {
        return backend;
    }

    static boolean hasTtl(int variant) {
        return variant == WRITE_TTL || variant == READ_TTL;
    }

    InternalValueState<K, String, String> value(String namespace, int variant) throws Exception {
        return unchecked(state(namespace, variant, valueDescriptor(variant)));
    }

    static ValueStateDescriptor<String> valueDescriptor(int variant) {
        return new ValueStateDescriptor<>("value" + variant, StringSerializer.INSTANCE);
    }

    InternalListState<K, String, String> list(String namespace, int variant) throws Exception {
        return unchecked(state(namespace, variant, listDescriptor(variant)));
    }

    static ListStateDescriptor<String> listDescriptor(int variant) {
        return new ListStateDescriptor<>("list" + variant, StringSerializer.INSTANCE);
    }

    InternalMapState<K, String, String, Long> map(String namespace, int variant) throws Exception {
        return unchecked(state(namespace, variant, mapDescriptor(variant)));
    }

    static MapStateDescriptor<String, Long> mapDescriptor(int variant) {
        return new MapStateDescriptor<>(
                "map" + variant, StringSerializer.INSTANCE, LongSerializer.INSTANCE);
    }

    InternalReducingState<K, String, String> reducing(String namespace, int variant)
            throws Exception {
        ReduceFunction<String> join = (first, second) -> first + "+" + second;
        return unchecked(
                state(
                        namespace,
                        variant,
                        new ReducingStateDescriptor<>(
                                "reducing" + variant, join, StringSerializer.INSTANCE)));
    }

    InternalAggregatingState<K, String, Integer, String, String> aggregating(
            String namespace, int variant) throws Exception {
        return unchecked(
                state(
                        namespace,
                        variant,
                        new AggregatingStateDescriptor<>(
                                "aggregating" + variant,
                                new Concatenation(),
                                StringSerializer.INSTANCE)));
    }

    /** A timer queue, registered when it is first used. */
    KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, String>> timers(int number) {
        int index = number % queues.size();
        if (queues.get(index) == null) {
            queues.set(
                    index,
                    backend.create(
                            "timers" + index,
                            new TimerSerializer<>(
                                    backend.getKeySerializer(), StringSerializer.INSTANCE)));
        }
        return queues.get(index);
    }

    private <S extends State> S state(
            String namespace, int variant, StateDescriptor<S, ?> descriptor) throws Exception {
        if (variant == VOID_NAMESPACE) {
            return backend.getPartitionedState(
                    VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
        }
        StateTtlConfig.Builder ttl = StateTtlConfig.newBuilder(Duration.ofMillis(TTL));
        if (variant == WRITE_TTL) {
            descriptor.enableTimeToLive(ttl.updateTtlOnCreateAndWrite().build());
        } else if (variant == READ_TTL) {
            descriptor.enableTimeToLive(
                    ttl.updateTtlOnReadAndWrite().cleanupFullSnapshot().build());
        }
        return backend.getPartitionedState(namespace, StringSerializer.INSTANCE, descriptor);
    }

    @SuppressWarnings("unchecked")
    private static <T> T unchecked(State state) {
        return (T) state;
    }

    /** Shows in its result what was added, and in which order. */
    private static final class Concatenation implements AggregateFunction<Integer, String, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String createAccumulator() {
            return "";
        }

        @Override
        public String add(Integer value, String accumulator) {
            return accumulator + value + ";";
        }

        @Override
        public String getResult(String accumulator) {
            return "[" + accumulator + "]";
        }

        @Override
        public String merge(String first, String second) {
            return first + second;
        }
    }
}
