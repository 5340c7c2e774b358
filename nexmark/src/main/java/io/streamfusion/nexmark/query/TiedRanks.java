package io.streamfusion.nexmark.query;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Rows of q19, as text, without what is left to chance: it ranks bids of one auction and price in
 * the order of their arrival, which no two runs at a parallelism above 1 share.
 */
public final class TiedRanks {
    private static final int AUCTION = 0;
    private static final int PRICE = 2;
    private static final int DATE_TIME = 5;
    private static final int RANK = 7;
    private static final String LAST_RANK = "10";

    private TiedRanks() {}

    /** The rows with the ranks that bids of one auction and price have by their times. */
    public static List<String> inOrderOfTime(List<String> rows) {
        List<String> ordered = new ArrayList<>();
        for (List<String[]> tie : ties(rows).values()) {
            int next =
                    tie.stream().mapToInt(row -> Integer.parseInt(row[RANK])).min().orElseThrow();
            tie.sort(Comparator.comparing(row -> row[DATE_TIME]));
            for (String[] row : tie) {
                row[RANK] = Integer.toString(next++);
                ordered.add(String.join("|", row));
            }
        }
        return ordered;
    }

    /**
     * Whether two results differ in nothing but the order of ties, and in which of several tied
     * bids has the last rank that is kept.
     */
    public static boolean same(List<String> some, List<String> others) {
        Map<String, Integer> surplus = new HashMap<>();
        inOrderOfTime(some).forEach(row -> surplus.merge(row, 1, Integer::sum));
        inOrderOfTime(others).forEach(row -> surplus.merge(row, -1, Integer::sum));
        surplus.values().removeIf(count -> count == 0);
        Map<String, Integer> places = new HashMap<>();
        surplus.forEach((row, count) -> places.merge(place(row), count, Integer::sum));
        Set<String> cut = new HashSet<>(tiesThatMayBeCut(some));
        cut.retainAll(tiesThatMayBeCut(others));
        return places.values().stream().allMatch(count -> count == 0)
                && surplus.keySet().stream()
                        .allMatch(row -> cut.contains(tieOf(row.split("\\|", -1))));
    }

    private static List<String> tiesThatMayBeCut(List<String> rows) {
        return ties(rows).entrySet().stream()
                .filter(tie -> tie.getValue().stream().anyMatch(row -> row[RANK].equals(LAST_RANK)))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static Map<String, List<String[]>> ties(List<String> rows) {
        return rows.stream()
                .map(row -> row.split("\\|", -1))
                .collect(
                        Collectors.groupingBy(
                                TiedRanks::tieOf,
                                TreeMap::new,
                                Collectors.toCollection(ArrayList::new)));
    }

    private static String tieOf(String[] columns) {
        return columns[AUCTION] + "|" + columns[PRICE];
    }

    private static String place(String row) {
        String[] columns = row.split("\\|", -1);
        return tieOf(columns) + "|" + columns[RANK];
    }
}
