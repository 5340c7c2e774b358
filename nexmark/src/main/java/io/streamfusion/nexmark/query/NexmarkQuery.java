package io.streamfusion.nexmark.query;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * One of q0 to q23, without q6. The SQL has placeholders {@code ${…}} for connector options; see
 * the module's README.
 *
 * @param name q0, q1, …
 */
public record NexmarkQuery(String name) {

    /** All names, in order. */
    public static final List<String> NAMES =
            IntStream.rangeClosed(0, 23).filter(i -> i != 6).mapToObj(i -> "q" + i).toList();

    /** Throws {@link IllegalArgumentException} that lists the names for one that does not exist. */
    public NexmarkQuery {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "there is no query '" + name + "'; there are " + String.join(", ", NAMES));
        }
    }

    /** False for q12: its windows are those of the clock. */
    public boolean deterministic() {
        return !name.equals("q12");
    }

    /**
     * True for q19: it ranks bids of equal price in the order of their arrival, which at a
     * parallelism above 1 is another one in each run.
     */
    public boolean arrivalDecidesTies() {
        return name.equals("q19");
    }

    /**
     * The statements to execute before the query: function, source table, views, side input, sink.
     *
     * @param placeholders names and values; a value may use {@code ${q}}, the query's name
     */
    public List<String> setup(Map<String, String> placeholders) {
        List<String> statements = new ArrayList<>();
        statements.add(
                "CREATE TEMPORARY SYSTEM FUNCTION count_char AS '"
                        + CountChar.class.getName()
                        + "'");
        statements.addAll(statements("ddl.sql", placeholders));
        statements.add(sinkStatement(placeholders));
        return statements;
    }

    /** The {@code INSERT INTO} of the query, into the table of {@link #sink()}. */
    public String insert() {
        return statements(name + ".sql", Map.of("sink", sink())).getFirst();
    }

    /** Name of the result table. */
    public String sink() {
        return "sink_" + name;
    }

    private String sinkStatement(Map<String, String> placeholders) {
        String start = "CREATE TABLE " + sink() + " ";
        return statements("sinks.sql", placeholders).stream()
                .filter(statement -> statement.startsWith(start))
                .findFirst()
                .orElseThrow();
    }

    private List<String> statements(String file, Map<String, String> placeholders) {
        StringBuilder sql = new StringBuilder();
        text(file)
                .lines()
                .filter(line -> !line.stripLeading().startsWith("--"))
                .forEach(line -> sql.append(line).append('\n'));
        String filled = sql.toString();
        for (Map.Entry<String, String> placeholder : placeholders.entrySet()) {
            filled = filled.replace("${" + placeholder.getKey() + "}", placeholder.getValue());
        }
        filled = filled.replace("${q}", name);
        int open = filled.indexOf("${");
        if (open >= 0) {
            throw new IllegalArgumentException(
                    file
                            + " needs a value for "
                            + filled.substring(open, filled.indexOf('}', open) + 1));
        }
        List<String> statements = new ArrayList<>();
        for (int from = 0, end; (end = filled.indexOf(';', from)) >= 0; from = end + 1) {
            statements.add(filled.substring(from, end).strip());
        }
        return statements;
    }

    static String text(String file) {
        try (InputStream in = NexmarkQuery.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
