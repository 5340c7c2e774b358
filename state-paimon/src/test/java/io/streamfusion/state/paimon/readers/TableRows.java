package io.streamfusion.state.paimon.readers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The rows of a table as text, so that what several readers found can be compared: bytes in
 * hexadecimal digits, dates in days and times in milliseconds since 1970, columns without a value
 * not at all.
 */
final class TableRows {
    static final String KEY_GROUP = "kg";
    static final String STATE = "st";
    static final String KEY = "k";
    static final String NAMESPACE = "ns";
    static final String USER_KEY = "uk";
    static final String VALUE = "v";
    static final String TIME = "ts";
    static final String CHECKPOINT = "cp";

    private static final List<String> PRIMARY_KEY =
            List.of(KEY_GROUP, STATE, KEY, NAMESPACE, USER_KEY);

    /** Elements and chunks of a list have this between them, in hexadecimal digits. */
    private static final String LIST_DELIMITER = "2c";

    private static final int DIFFERENCES_SHOWN = 10;

    /** By primary key. */
    private final Map<List<String>, Map<String, String>> rows = new HashMap<>();

    TableRows() {}

    /** The rows that a reader found. */
    static TableRows of(List<Map<String, String>> found) {
        TableRows rows = new TableRows();
        found.forEach(rows::add);
        return rows;
    }

    /** Adds a row with all columns that have a value; no two have the same primary key. */
    void add(Map<String, String> row) {
        List<String> key =
                PRIMARY_KEY.stream().map(column -> row.getOrDefault(column, "")).toList();
        assertThat(rows.put(key, row)).as("another row of the key %s", key).isNull();
    }

    int size() {
        return rows.size();
    }

    /** The checkpoints that wrote the rows. */
    Set<Long> checkpoints() {
        return rows.values().stream()
                .map(row -> Long.valueOf(row.get(CHECKPOINT)))
                .collect(Collectors.toSet());
    }

    /** Number of rows in which the column has a value. */
    long count(String column) {
        return rows.values().stream().filter(row -> row.containsKey(column)).count();
    }

    /**
     * The rows as the states have them: with the names of the states, without the checkpoint that
     * wrote each, and one row for each list, whose chunks a reader has to put together.
     *
     * @param names of the states by their numbers
     * @param listState the state with lists
     */
    TableRows logical(Map<String, String> names, String listState) {
        TreeMap<String, Map<String, String>> chunks = new TreeMap<>();
        TableRows logical = new TableRows();
        for (Map<String, String> row : rows.values()) {
            Map<String, String> without = new TreeMap<>(row);
            without.remove(CHECKPOINT);
            without.put(STATE, names.get(row.get(STATE)));
            if (without.get(STATE).equals(listState)) {
                String place = without.remove(USER_KEY);
                chunks.put(row.get(KEY) + '/' + row.get(NAMESPACE) + '/' + place, without);
            } else {
                logical.add(without);
            }
        }
        Map<List<String>, Map<String, String>> lists = new HashMap<>();
        for (Map<String, String> chunk : chunks.values()) {
            lists.merge(
                    List.of(chunk.get(KEY), chunk.get(NAMESPACE)),
                    chunk,
                    (sooner, later) -> {
                        Map<String, String> both = new TreeMap<>(sooner);
                        both.put(VALUE, sooner.get(VALUE) + LIST_DELIMITER + later.get(VALUE));
                        return both;
                    });
        }
        lists.values().forEach(logical::add);
        return logical;
    }

    /** Fails, and shows some of the differences, unless these are the same rows. */
    void assertSameAs(TableRows expected, String reader) {
        NavigableSet<String> differences = new TreeSet<>();
        expected.rows.forEach(
                (key, row) -> {
                    if (!row.equals(rows.get(key))) {
                        differences.add("expected " + row + "\n   found " + rows.get(key));
                    }
                });
        rows.forEach(
                (key, row) -> {
                    if (!expected.rows.containsKey(key)) {
                        differences.add("not expected " + row);
                    }
                });
        List<String> some =
                new ArrayList<>(differences)
                        .subList(0, Math.min(DIFFERENCES_SHOWN, differences.size()));
        assertThat(some)
                .as(
                        "%d of %d rows that %s finds differ from %d expected ones",
                        differences.size(), rows.size(), reader, expected.size())
                .isEmpty();
    }
}
