package io.streamfusion.e2e;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** Computes the job's whole output from its input, without Flink and in one pass over each key. */
final class ExpectedOutput {
    private ExpectedOutput() {}

    /**
     * Returns the lines, every one of which must be committed once: all but those about the wall
     * clock.
     *
     * @param partitions number of source partitions
     * @param end number of records of each
     */
    static Set<String> of(int partitions, long end) {
        Set<String> lines = new HashSet<>();
        Map<String, List<Event>> byKey = new TreeMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            for (long sequence = 0; sequence < end; sequence++) {
                Event event = Event.of(partition, sequence);
                lines.add(Lines.record(event));
                byKey.computeIfAbsent(event.key, key -> new ArrayList<>()).add(event);
            }
        }
        byKey.forEach((key, events) -> addKey(key, events, lines));
        return lines;
    }

    private static void addKey(String key, List<Event> events, Set<String> lines) {
        for (int count = 1; count <= events.size(); count++) {
            lines.add(Lines.count(key, count));
        }
        NavigableMap<Long, List<Event>> windows = new TreeMap<>();
        for (Event event : events) {
            windows.computeIfAbsent(Windows.startOf(event.timestamp), w -> new ArrayList<>())
                    .add(event);
        }
        windows.forEach(
                (start, inside) -> {
                    long oldest = start - (Windows.REMEMBERED - 1) * Windows.SIZE_MILLIS;
                    long rolling =
                            windows.subMap(oldest, true, start, true).values().stream()
                                    .mapToLong(ExpectedOutput::sum)
                                    .sum();
                    long[] ids =
                            inside.stream()
                                    .mapToLong(e -> Windows.id(e.partition, e.sequence))
                                    .toArray();
                    lines.add(
                            Lines.window(
                                    key,
                                    start,
                                    inside.size(),
                                    sum(inside),
                                    Windows.digest(ids),
                                    rolling));
                });
        long xor = events.stream().mapToLong(e -> e.value).reduce(0, (a, b) -> a ^ b);
        long smallest = events.stream().mapToLong(e -> e.value).min().orElseThrow();
        lines.add(Lines.total(key, events.size(), xor, smallest));
    }

    private static long sum(List<Event> events) {
        return events.stream().mapToLong(e -> e.value).sum();
    }
}
