package io.streamfusion.state.paimon.kit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
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
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * A state of every kind with rows of some kilobytes, so that little besides their index is needed
 * in memory, and a timer a key. Equal steps on equal backends leave equal state.
 */
public final class LargeRows {
    /** Bytes that {@link #write} adds to a key, on average. */
    public static final int BYTES_A_KEY = 24 * 1024;

    private final CheckpointableKeyedStateBackend<Integer> backend;
    private final ValueState<byte[]> value;
    private final ListState<byte[]> list;
    private final MapState<Integer, byte[]> map;
    private final ReducingState<byte[]> reducing;
    private final AggregatingState<byte[], byte[]> aggregating;
    private final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>
            timers;

    /** Registers the states in a backend. */
    public LargeRows(CheckpointableKeyedStateBackend<Integer> backend) throws Exception {
        this.backend = backend;
        ReduceFunction<byte[]> mix = LargeRows::mix;
        value = state(new ValueStateDescriptor<>("value", BytePrimitiveArraySerializer.INSTANCE));
        list = state(new ListStateDescriptor<>("list", BytePrimitiveArraySerializer.INSTANCE));
        map =
                state(
                        new MapStateDescriptor<>(
                                "map",
                                IntSerializer.INSTANCE,
                                BytePrimitiveArraySerializer.INSTANCE));
        reducing =
                state(
                        new ReducingStateDescriptor<>(
                                "reducing", mix, BytePrimitiveArraySerializer.INSTANCE));
        aggregating =
                state(
                        new AggregatingStateDescriptor<>(
                                "aggregating",
                                new Mixing(),
                                BytePrimitiveArraySerializer.INSTANCE));
        timers =
                backend.create(
                        "timers",
                        new TimerSerializer<>(
                                IntSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE));
    }

    private <S extends State> S state(StateDescriptor<S, ?> descriptor) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    /** Adds to all states of a key. */
    public void write(int key, Random random) throws Exception {
        backend.setCurrentKey(key);
        value.update(bytes(random));
        list.add(bytes(random));
        list.addAll(List.of(bytes(random), new byte[0]));
        map.put(random.nextInt(6), bytes(random));
        map.putAll(Map.of(6, bytes(random), 7 + random.nextInt(3), bytes(random)));
        reducing.add(bytes(random));
        aggregating.add(bytes(random));
        timers.add(timer(key));
    }

    /** Changes and removes something of a key. */
    public void change(int key, Random random) throws Exception {
        backend.setCurrentKey(key);
        switch (random.nextInt(9)) {
            case 0 -> value.update(bytes(random));
            case 1 -> value.clear();
            case 2 -> list.add(bytes(random));
            case 3 -> list.update(List.of(bytes(random)));
            case 4 -> map.remove(random.nextInt(8));
            case 5 -> map.put(random.nextInt(8), bytes(random));
            case 6 -> reducing.add(bytes(random));
            case 7 -> aggregating.add(bytes(random));
            default -> {
                list.clear();
                map.clear();
                timers.remove(timer(key));
            }
        }
    }

    /** What all states of a key hold, as numbers that differ when it does. */
    public List<Object> digest(int key) throws Exception {
        backend.setCurrentKey(key);
        List<Object> all = new ArrayList<>();
        all.add(Arrays.hashCode(value.value()));
        Iterable<byte[]> elements = list.get();
        if (elements != null) {
            elements.forEach(element -> all.add(Arrays.hashCode(element)));
        }
        Map<Integer, Integer> entries = new TreeMap<>();
        for (Map.Entry<Integer, byte[]> entry : map.entries()) {
            entries.put(entry.getKey(), Arrays.hashCode(entry.getValue()));
        }
        all.add(entries);
        all.add(Arrays.hashCode(reducing.get()));
        all.add(Arrays.hashCode(aggregating.get()));
        return all;
    }

    /** Takes all timers out. */
    public List<Long> fire() {
        List<Long> fired = new ArrayList<>();
        for (TimerHeapInternalTimer<Integer, VoidNamespace> timer = timers.poll();
                timer != null;
                timer = timers.poll()) {
            fired.add(timer.getTimestamp());
        }
        return fired;
    }

    private static TimerHeapInternalTimer<Integer, VoidNamespace> timer(int key) {
        return new TimerHeapInternalTimer<>(key * 31L % 1009, key, VoidNamespace.INSTANCE);
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(50) == 0 ? 30_000 : random.nextInt(5600)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] mix(byte[] some, byte[] other) {
        byte[] longer = (some.length < other.length ? other : some).clone();
        byte[] shorter = some.length < other.length ? some : other;
        for (int i = 0; i < shorter.length; i++) {
            longer[i] = (byte) (longer[i] * 31 + shorter[i]);
        }
        return longer;
    }

    /** Mixes what it is given. */
    private static final class Mixing implements AggregateFunction<byte[], byte[], byte[]> {
        private static final long serialVersionUID = 1L;

        @Override
        public byte[] createAccumulator() {
            return new byte[0];
        }

        @Override
        public byte[] add(byte[] added, byte[] accumulator) {
            return mix(accumulator, added);
        }

        @Override
        public byte[] getResult(byte[] accumulator) {
            return accumulator;
        }

        @Override
        public byte[] merge(byte[] some, byte[] other) {
            return mix(some, other);
        }
    }
}
