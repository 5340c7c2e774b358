package io.streamfusion.state.memory.model;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.runtime.state.internal.InternalValueState;

/** The steps that access states of one key; each returns what a job would see of it, as text. */
final class Accesses {
    private static final int USER_KEYS = 6;
    private static final int TEXT_LENGTHS = 16;
    private static final int LONG_TEXT = 300;

    /** So many elements of lists are padded as much as one value. */
    private static final int ELEMENTS_A_VALUE = 4;

    /** Longer than the pieces in which the store of the model takes its memory. */
    private static final int LONGEST_TEXT = 6000;

    private Accesses() {}

    static <K> Object access(States<K> states, K key, Step step) throws Exception {
        states.backend().setCurrentKey(key);
        String namespace = KeySpace.namespace(step.b());
        int variant = step.c() % States.VARIANTS;
        String name = step.kind().name();
        if (name.startsWith("VALUE")) {
            return value(states, states.value(namespace, variant), step);
        } else if (name.startsWith("LIST")) {
            return list(states, states.list(namespace, variant), step);
        } else if (name.startsWith("MAP")) {
            return map(states.map(namespace, variant), variant, step);
        } else if (name.startsWith("REDUCING")) {
            return reducing(states.reducing(namespace, variant), step);
        } else if (name.startsWith("AGGREGATING")) {
            return aggregating(states.aggregating(namespace, variant), step);
        }
        return merge(states, step);
    }

    private static Object value(States<?> states, InternalValueState<?, ?, String> value, Step step)
            throws Exception {
        switch (step.kind()) {
            case VALUE_UPDATE -> value.update(step.d() % 20 == 0 ? null : text(states, step.d()));
            case VALUE_CLEAR -> value.clear();
            default -> {
                return value.value();
            }
        }
        return null;
    }

    private static Object list(States<?> states, InternalListState<?, ?, String> list, Step step)
            throws Exception {
        switch (step.kind()) {
            case LIST_ADD -> {
                if (step.d() % 30 == 0) {
                    return refused(() -> list.add(null));
                }
                list.add(element(states, step.d()));
            }
            case LIST_ADD_ALL -> list.addAll(texts(states, step.d()));
            case LIST_UPDATE -> list.update(texts(states, step.d()));
            case LIST_CLEAR -> list.clear();
            default -> {
                return elements(list);
            }
        }
        return null;
    }

    /** The elements; a list that only had expired ones may be absent or empty. */
    static List<String> elements(InternalListState<?, ?, String> list) throws Exception {
        Iterable<String> present = list.get();
        List<String> elements = new ArrayList<>();
        if (present != null) {
            present.forEach(elements::add);
        }
        return elements;
    }

    private static Object map(InternalMapState<?, ?, String, Long> map, int variant, Step step)
            throws Exception {
        String userKey = userKey(step.d());
        switch (step.kind()) {
            case MAP_PUT -> map.put(userKey, number(step.d(), variant));
            case MAP_PUT_ALL -> {
                Map<String, Long> entries = new LinkedHashMap<>();
                for (int i = 0; i <= step.d() % USER_KEYS; i++) {
                    entries.put(userKey(step.d() + i), number(step.d() + i, variant));
                }
                map.putAll(entries);
            }
            case MAP_REMOVE -> map.remove(userKey);
            case MAP_ITERATE -> {
                return iterate(map, variant, step.d());
            }
            case MAP_CLEAR -> map.clear();
            case MAP_GET -> {
                // Whether a map with expired entries only is empty depends on when they are
                // removed.
                Object empty = States.hasTtl(variant) ? "" : map.isEmpty();
                return map.contains(userKey) + " " + map.get(userKey) + " " + empty;
            }
            default -> {
                return entries(map);
            }
        }
        return null;
    }

    /** The entries in the order of their keys, looked at in every way a map offers. */
    static Map<String, Long> entries(InternalMapState<?, ?, String, Long> map) throws Exception {
        Map<String, Long> entries = new TreeMap<>();
        for (Map.Entry<String, Long> entry : map.entries()) {
            if (entries.containsKey(entry.getKey())) {
                throw new IllegalStateException("Twice in a map: " + entry.getKey());
            }
            entries.put(entry.getKey(), entry.getValue());
        }
        List<String> keys = new ArrayList<>();
        map.keys().forEach(keys::add);
        keys.sort(null);
        List<String> values = new ArrayList<>();
        map.values().forEach(value -> values.add(String.valueOf(value)));
        values.sort(null);
        if (!keys.equals(List.copyOf(entries.keySet()))
                || !values.equals(
                        entries.values().stream().map(String::valueOf).sorted().toList())) {
            throw new IllegalStateException(
                    "Entries " + entries + ", but keys " + keys + " and values " + values);
        }
        return entries;
    }

    /** Removes some entries while iterating and sets others; which ones depends on their keys. */
    private static Object iterate(InternalMapState<?, ?, String, Long> map, int variant, int choice)
            throws Exception {
        Map<String, Long> seen = new TreeMap<>();
        Iterator<Map.Entry<String, Long>> iterator = map.iterator();
        while (iterator.hasNext()) {
            if (!iterator.hasNext()) {
                throw new IllegalStateException("Asked twice, an iterator loses its next entry.");
            }
            Map.Entry<String, Long> entry = iterator.next();
            seen.put(entry.getKey(), entry.getValue());
            int action = (entry.getKey().length() + choice) % 3;
            if (action == 0) {
                iterator.remove();
            } else if (action == 1) {
                entry.setValue(number(choice + 1, variant));
                seen.put(entry.getKey() + " now", entry.getValue());
            }
        }
        return seen;
    }

    private static Object reducing(InternalReducingState<?, ?, String> reducing, Step step)
            throws Exception {
        switch (step.kind()) {
            case REDUCING_ADD -> reducing.add(text(step.d() % TEXT_LENGTHS % 12));
            case REDUCING_CLEAR -> reducing.clear();
            default -> {
                return reducing.get();
            }
        }
        return null;
    }

    private static Object aggregating(
            InternalAggregatingState<?, ?, Integer, String, String> aggregating, Step step)
            throws Exception {
        switch (step.kind()) {
            case AGGREGATING_ADD -> aggregating.add(step.d());
            case AGGREGATING_CLEAR -> aggregating.clear();
            default -> {
                return aggregating.get();
            }
        }
        return null;
    }

    /**
     * Merges namespaces. Of states with time to live only lists: how Flink stamps other merged
     * values depends on whether an expired one is still there.
     */
    private static <K> Object merge(States<K> states, Step step) throws Exception {
        String target = KeySpace.namespace(step.b());
        List<String> sources = new ArrayList<>();
        for (int i = 0; i < KeySpace.NAMESPACES.size(); i++) {
            String source = KeySpace.namespace(i);
            if ((step.d() >> i & 1) == 1 && !source.equals(target)) {
                sources.add(source);
            }
        }
        InternalMergingState<K, String, ?, ?, ?> merging =
                switch (step.c() % 5) {
                    case 0 -> states.reducing(target, States.PLAIN);
                    case 1 -> states.aggregating(target, States.PLAIN);
                    case 2 -> states.list(target, States.PLAIN);
                    case 3 -> states.list(target, States.WRITE_TTL);
                    default -> states.list(target, States.READ_TTL);
                };
        merging.mergeNamespaces(target, sources);
        return null;
    }

    private interface Refusable {
        void run() throws Exception;
    }

    private static String refused(Refusable call) throws Exception {
        try {
            call.run();
            return "accepted";
        } catch (NullPointerException e) {
            return "refused";
        }
    }

    private static String userKey(int number) {
        return "u".repeat(number % USER_KEYS);
    }

    /** A map value; only plain maps know null. */
    private static Long number(int number, int variant) {
        return number % 7 == 0 && !States.hasTtl(variant) ? null : Long.valueOf(number);
    }

    private static List<String> texts(States<?> states, int number) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < number % 4; i++) {
            texts.add(element(states, number + i));
        }
        return texts;
    }

    /** What a value is set to. */
    static String text(States<?> states, int number) {
        return text(number) + "~".repeat(states.padding());
    }

    /** An element of a list, which has to fit the memory as a whole. */
    static String element(States<?> states, int number) {
        return text(number) + "~".repeat(states.padding() / ELEMENTS_A_VALUE);
    }

    /** Mostly short, sometimes empty, rarely long. */
    private static String text(int number) {
        return switch (number % TEXT_LENGTHS) {
            case 0 -> "";
            case TEXT_LENGTHS - 2 -> number + "-".repeat(LONG_TEXT);
            case TEXT_LENGTHS - 1 -> number + "=".repeat(LONGEST_TEXT);
            default -> number + ",".repeat(number % 5);
        };
    }
}
