package io.streamfusion.state.memory.snapshot.kit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.CloseableIterator;

/**
 * A keyed backend with a state of every kind in several namespaces, and timers: written, changed
 * and read back as text that can be compared between backends.
 *
 * @param <K> type of the keys
 */
public final class Contents<K> {
    /** How long state with a time to live lives, milliseconds. */
    public static final long TTL_MILLIS = 60_000;

    private static final List<String> NAMESPACES = List.of("", "n", "window-0123456789");

    private final CheckpointableKeyedStateBackend<K> backend;
    private final Optional<StateTtlConfig> ttl;
    private final boolean nulls;
    private KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, String>> timers;

    private Contents(
            CheckpointableKeyedStateBackend<K> backend,
            Optional<StateTtlConfig> ttl,
            boolean nulls) {
        this.backend = backend;
        this.ttl = ttl;
        this.nulls = nulls;
    }

    /** The states of a backend, with null values in maps. */
    public static <K> Contents<K> of(CheckpointableKeyedStateBackend<K> backend) {
        return new Contents<>(backend, Optional.empty(), true);
    }

    /**
     * The states of a backend.
     *
     * @param withTtl whether all have a time to live
     * @param nulls whether maps get null values: Flink's canonical savepoints of hashmap and its
     *     serializers of state with a time to live do not know them
     */
    public static <K> Contents<K> of(
            CheckpointableKeyedStateBackend<K> backend, boolean withTtl, boolean nulls) {
        return new Contents<>(
                backend,
                withTtl
                        ? Optional.of(
                                StateTtlConfig.newBuilder(Duration.ofMillis(TTL_MILLIS)).build())
                        : Optional.empty(),
                nulls);
    }

    /** Writes something new for each key. */
    public void write(Collection<K> keys, long seed) throws Exception {
        Random random = new Random(seed);
        for (K key : keys) {
            backend.setCurrentKey(key);
            for (String namespace : NAMESPACES) {
                value(namespace).update(random.nextLong());
                list(namespace).add("first," + random.nextInt());
                list(namespace).addAll(List.of("", "x".repeat(random.nextInt(40)), "ü"));
                for (int i = 0; i < 5; i++) {
                    map(namespace).put("uk" + random.nextInt(20), random.nextLong());
                }
                if (nulls) {
                    map(namespace).put("null", null);
                }
                map(namespace).put("", 0L);
                reducing(namespace).add(random.nextLong(1000));
                aggregating(namespace).add(random.nextLong(1000));
            }
        }
        for (K key : keys) {
            backend.setCurrentKey(key);
            mapWithoutNamespace().put("uk" + random.nextInt(5), random.nextLong());
        }
        writeTimers(keys, random);
    }

    private void writeTimers(Collection<K> keys, Random random) {
        for (K key : keys) {
            backend.setCurrentKey(key);
            for (long timestamp :
                    new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE, random.nextLong()}) {
                timers().add(new TimerHeapInternalTimer<>(timestamp, key, pick(random)));
            }
        }
    }

    /** Removes and changes some of what {@link #write} wrote. */
    public void change(Collection<K> keys, long seed) throws Exception {
        Random random = new Random(seed);
        for (K key : keys) {
            backend.setCurrentKey(key);
            String namespace = pick(random);
            switch (random.nextInt(6)) {
                case 0 -> value(namespace).clear();
                case 1 -> list(namespace).clear();
                case 2 -> map(namespace).clear();
                case 3 -> map(namespace).remove("");
                case 4 -> list(namespace).update(List.of("only"));
                default -> reducing(namespace).clear();
            }
            timers().remove(new TimerHeapInternalTimer<>(0, key, namespace));
            timers().add(new TimerHeapInternalTimer<>(random.nextInt(), key, namespace));
        }
    }

    private static String pick(Random random) {
        return NAMESPACES.get(random.nextInt(NAMESPACES.size()));
    }

    /** Everything these keys have, without the timers. */
    public Map<String, String> read(Collection<K> keys) throws Exception {
        Map<String, String> found = new TreeMap<>();
        for (K key : keys) {
            if (!owns(key)) {
                continue;
            }
            backend.setCurrentKey(key);
            for (String namespace : NAMESPACES) {
                String at = key + "/" + namespace + "/";
                put(found, at + "value", value(namespace).value());
                put(found, at + "list", elements(list(namespace).get()));
                put(found, at + "map", entries(map(namespace)));
                put(found, at + "reducing", reducing(namespace).get());
                put(found, at + "aggregating", aggregating(namespace).get());
            }
            put(found, key + "/map", entries(mapWithoutNamespace()));
        }
        return found;
    }

    /** Everything these keys have, and all timers, which are taken out in order. */
    public Map<String, String> drain(Collection<K> keys) throws Exception {
        Map<String, String> found = read(keys);
        List<String> fired = drainTimers();
        put(found, "timers", fired.isEmpty() ? null : fired);
        return found;
    }

    /** Takes all timers out and checks that they come in order. */
    public List<String> drainTimers() throws Exception {
        List<String> all = new ArrayList<>();
        CloseableIterator<TimerHeapInternalTimer<K, String>> iterator = timers().iterator();
        iterator.forEachRemaining(timer -> all.add(timer.getKey() + "/" + timer.getNamespace()));
        iterator.close();
        List<String> polled = new ArrayList<>();
        long last = Long.MIN_VALUE;
        for (TimerHeapInternalTimer<K, String> timer = timers().poll();
                timer != null;
                timer = timers().poll()) {
            if (timer.getTimestamp() < last) {
                throw new AssertionError(timer + " fires after " + last);
            }
            last = timer.getTimestamp();
            polled.add(timer.getTimestamp() + "/" + timer.getKey() + "/" + timer.getNamespace());
        }
        if (all.size() != polled.size()) {
            throw new AssertionError(all.size() + " timers, but " + polled.size() + " fired");
        }
        polled.sort(null);
        return polled;
    }

    private boolean owns(K key) {
        return backend.getKeyGroupRange()
                .contains(
                        KeyGroupRangeAssignment.assignToKeyGroup(
                                key,
                                ((AbstractKeyedStateBackend<?>) backend).getNumberOfKeyGroups()));
    }

    private static void put(Map<String, String> found, String at, Object value) {
        if (value != null) {
            found.put(at, value.toString());
        }
    }

    private static List<String> elements(Iterable<String> list) {
        if (list == null) {
            return null;
        }
        List<String> elements = new ArrayList<>();
        list.forEach(elements::add);
        return elements.isEmpty() ? null : elements;
    }

    private static Map<String, Long> entries(MapState<String, Long> map) throws Exception {
        Map<String, Long> entries = new TreeMap<>();
        for (Map.Entry<String, Long> entry : map.entries()) {
            entries.put(entry.getKey(), entry.getValue());
        }
        return entries.isEmpty() ? null : entries;
    }

    private ValueState<Long> value(String namespace) throws Exception {
        return state(namespace, new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
    }

    private ListState<String> list(String namespace) throws Exception {
        return state(namespace, new ListStateDescriptor<>("list", StringSerializer.INSTANCE));
    }

    private MapState<String, Long> map(String namespace) throws Exception {
        return state(
                namespace,
                new MapStateDescriptor<>(
                        "map", StringSerializer.INSTANCE, LongSerializer.INSTANCE));
    }

    private MapState<String, Long> mapWithoutNamespace() throws Exception {
        MapStateDescriptor<String, Long> descriptor =
                new MapStateDescriptor<>(
                        "map without namespace",
                        StringSerializer.INSTANCE,
                        LongSerializer.INSTANCE);
        ttl.ifPresent(descriptor::enableTimeToLive);
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    private ReducingState<Long> reducing(String namespace) throws Exception {
        ReduceFunction<Long> sum = Long::sum;
        return state(
                namespace, new ReducingStateDescriptor<>("reducing", sum, LongSerializer.INSTANCE));
    }

    private AggregatingState<Long, Integer> aggregating(String namespace) throws Exception {
        return state(
                namespace,
                new AggregatingStateDescriptor<>(
                        "aggregating", new Concatenation(), StringSerializer.INSTANCE));
    }

    private <S extends State> S state(String namespace, StateDescriptor<S, ?> descriptor)
            throws Exception {
        ttl.ifPresent(descriptor::enableTimeToLive);
        return backend.getPartitionedState(namespace, StringSerializer.INSTANCE, descriptor);
    }

    private KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, String>> timers() {
        if (timers == null) {
            timers =
                    backend.create(
                            "timers",
                            new TimerSerializer<>(
                                    backend.getKeySerializer(), StringSerializer.INSTANCE));
        }
        return timers;
    }

    /** Accumulates text, so that order and loss show. */
    private static final class Concatenation implements AggregateFunction<Long, String, Integer> {
        private static final long serialVersionUID = 1L;

        @Override
        public String createAccumulator() {
            return "";
        }

        @Override
        public String add(Long value, String accumulator) {
            return accumulator + value + ";";
        }

        @Override
        public Integer getResult(String accumulator) {
            return accumulator.hashCode();
        }

        @Override
        public String merge(String a, String b) {
            return a + b;
        }
    }
}
