package io.streamfusion.state.memory.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.util.CloseableIterator;

/** The steps that concern all keys of a backend, and timers. */
final class Scans {
    private static final long[] EXTREMES = {
        Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, Long.MAX_VALUE - 1, Long.MAX_VALUE
    };
    private static final List<String> SCANNED = List.of("value0", "list0", "map0");

    private Scans() {}

    // ---- keys

    /** Keys with state, in order; a key whose map has no entries does not count. */
    static <K> Object keys(States<K> states, Step step) throws Exception {
        String namespace = KeySpace.namespace(step.b());
        List<String> found = new ArrayList<>();
        if (step.d() % 3 == 0) {
            try (Stream<Tuple2<K, String>> keys =
                    states.backend().getKeysAndNamespaces(SCANNED.get(step.a() % 3))) {
                for (Tuple2<K, String> key : keys.toList()) {
                    if (step.a() % 3 < 2 || hasEntries(states, key.f0, key.f1)) {
                        found.add(key.toString());
                    }
                }
            }
        } else {
            try (Stream<K> keys =
                    step.d() % 3 == 1
                            ? states.backend().getKeys(SCANNED.get(step.a() % 3), namespace)
                            : states.backend().getKeys(List.of("value0", "list0"), namespace)) {
                for (K key : keys.toList()) {
                    if (step.d() % 3 == 2
                            || step.a() % 3 < 2
                            || hasEntries(states, key, namespace)) {
                        found.add(key.toString());
                    }
                }
            }
        }
        found.sort(null);
        return found;
    }

    private static <K> boolean hasEntries(States<K> states, K key, String namespace)
            throws Exception {
        states.backend().setCurrentKey(key);
        return !states.map(namespace, States.PLAIN).isEmpty();
    }

    /** Reads, clears or changes the state of all keys while they are listed. */
    static <K> Object applyToAllKeys(States<K> states, Step step) throws Exception {
        String namespace = KeySpace.namespace(step.b());
        Map<String, Object> found = new TreeMap<>();
        int action = step.d() % 3;
        switch (step.a() % 3) {
            case 0 ->
                    states.backend()
                            .applyToAllKeys(
                                    namespace,
                                    StringSerializer.INSTANCE,
                                    States.valueDescriptor(States.PLAIN),
                                    (K key, ValueState<String> value) -> {
                                        found.put(key.toString(), value.value());
                                        if (action == 1) {
                                            value.clear();
                                        } else if (action == 2) {
                                            value.update(Accesses.text(states, step.d()));
                                        }
                                    });
            case 1 ->
                    states.backend()
                            .applyToAllKeys(
                                    namespace,
                                    StringSerializer.INSTANCE,
                                    States.listDescriptor(States.PLAIN),
                                    (K key, ListState<String> list) -> {
                                        List<String> elements = new ArrayList<>();
                                        list.get().forEach(elements::add);
                                        found.put(key.toString(), elements);
                                        if (action == 1) {
                                            list.clear();
                                        } else if (action == 2) {
                                            list.add(Accesses.element(states, step.d()));
                                        }
                                    });
            default ->
                    states.backend()
                            .applyToAllKeys(
                                    namespace,
                                    StringSerializer.INSTANCE,
                                    States.mapDescriptor(States.PLAIN),
                                    (K key, MapState<String, Long> map) -> {
                                        if (map.isEmpty()) {
                                            return;
                                        }
                                        Map<String, Long> entries = new TreeMap<>();
                                        map.entries()
                                                .forEach(
                                                        e -> entries.put(e.getKey(), e.getValue()));
                                        found.put(key.toString(), entries);
                                        if (action == 1) {
                                            map.clear();
                                        } else if (action == 2) {
                                            map.put("all", (long) step.d());
                                        }
                                    });
        }
        return found;
    }

    // ---- timers

    /** Adds or removes a timer of a key. */
    static <K> Object timer(States<K> states, K key, Step step) {
        TimerHeapInternalTimer<K, String> timer =
                new TimerHeapInternalTimer<>(
                        timestamp(step.d()), key, KeySpace.namespace(step.b()));
        if (step.kind() == StepKind.TIMER_ADD) {
            states.timers(step.c()).add(timer);
        } else {
            states.timers(step.c()).remove(timer);
        }
        return head(states.timers(step.c()));
    }

    /** Takes out timers that are due; those of one time come in any order. */
    static <K> Object fire(States<K> states, Step step) {
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, String>> queue =
                states.timers(step.c());
        long due = timestamp(step.d());
        List<String> fired = new ArrayList<>();
        long last = Long.MIN_VALUE;
        TimerHeapInternalTimer<K, String> head;
        while ((head = queue.peek()) != null && head.getTimestamp() <= due) {
            TimerHeapInternalTimer<K, String> polled = queue.poll();
            if (polled == null || !polled.equals(head) || polled.getTimestamp() < last) {
                throw new IllegalStateException(
                        "Peeked " + head + ", polled " + polled + " after " + last);
            }
            last = polled.getTimestamp();
            fired.add(text(polled));
        }
        fired.sort(null);
        return fired;
    }

    /** Everything that can be seen of a queue without changing it. */
    static <K> Object look(States<K> states, int number) throws Exception {
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, String>> queue =
                states.timers(number);
        List<String> seen = new ArrayList<>();
        CloseableIterator<TimerHeapInternalTimer<K, String>> all = queue.iterator();
        all.forEachRemaining(timer -> seen.add(text(timer)));
        all.close();
        List<String> byKeyGroup = new ArrayList<>();
        for (int keyGroup : states.backend().getKeyGroupRange()) {
            queue.getSubsetForKeyGroup(keyGroup).forEach(timer -> byKeyGroup.add(text(timer)));
        }
        seen.sort(null);
        byKeyGroup.sort(null);
        if (!seen.equals(byKeyGroup) || seen.size() != queue.size()) {
            throw new IllegalStateException(
                    "Iterated " + seen + ", by key group " + byKeyGroup + ", size " + queue.size());
        }
        return head(queue) + " " + queue.isEmpty() + " " + seen;
    }

    private static String head(
            KeyGroupedInternalPriorityQueue<? extends TimerHeapInternalTimer<?, ?>> queue) {
        TimerHeapInternalTimer<?, ?> head = queue.peek();
        return head == null ? "none" : String.valueOf(head.getTimestamp());
    }

    private static String text(TimerHeapInternalTimer<?, ?> timer) {
        return timer.getTimestamp() + "/" + timer.getKey() + "/" + timer.getNamespace();
    }

    /** Few, so that they meet; sometimes at the ends of what there is. */
    private static long timestamp(int number) {
        return number % 5 == 0 ? EXTREMES[number / 5 % EXTREMES.length] : number % 40 - 20;
    }
}
