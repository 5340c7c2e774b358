package io.streamfusion.nexmark.quickstart;

import java.io.PrintStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.StringUtils;

/** Prints what SQL finds in the state of a checkpoint, and the statements that find it. */
final class StateQuery {
    /** Name of the catalog in the statements. */
    private static final String CATALOG = "state";

    private static final int ROWS = 5;

    private final URI webUi;
    private final PrintStream out;

    /**
     * Creates it; nothing runs yet.
     *
     * @param webUi of the Flink that runs the queries
     */
    StateQuery(URI webUi, PrintStream out) {
        this.webUi = webUi;
        this.out = out;
    }

    /** A table of the catalog, with the number of its rows. */
    private record Counted(String database, String table, long rows) {}

    /**
     * Prints the states of all operators with the numbers of their rows, and the first rows of the
     * smallest state that has any.
     *
     * @param checkpoint directory of a completed one
     */
    void print(String checkpoint) throws Exception {
        TableEnvironment tables = environment();
        execute(
                tables,
                "CREATE CATALOG "
                        + CATALOG
                        + " WITH ('type' = 'streamfusion-state', 'path' = '"
                        + checkpoint
                        + "')",
                row -> {});
        List<Counted> counted = new ArrayList<>();
        execute(
                tables,
                "SELECT * FROM " + CATALOG + ".streamfusion.row_counts",
                row ->
                        counted.add(
                                new Counted(
                                        row.getFieldAs("database_name"),
                                        row.getFieldAs("table_name"),
                                        row.getFieldAs("row_count"))));
        Optional<Counted> smallest =
                counted.stream()
                        .filter(table -> table.rows() > 0)
                        .min((a, b) -> Long.compare(a.rows(), b.rows()));
        if (smallest.isEmpty()) {
            out.println("The query keeps no keyed state at this point.");
            return;
        }
        execute(
                tables,
                String.format(
                        Locale.ROOT,
                        "SELECT * FROM %s.%s.%s LIMIT %d",
                        CATALOG,
                        quoted(smallest.get().database()),
                        quoted(smallest.get().table()),
                        ROWS),
                row -> {});
    }

    private TableEnvironment environment() {
        return TableEnvironment.create(
                EnvironmentSettings.newInstance()
                        .inBatchMode()
                        .withConfiguration(
                                Configuration.fromMap(
                                        Map.of(
                                                "execution.target", "remote",
                                                "rest.address", webUi.getHost(),
                                                "rest.port", Integer.toString(webUi.getPort()),
                                                "parallelism.default", "1",
                                                "table.local-time-zone", "UTC")))
                        .build());
    }

    @SuppressWarnings("try") // close() may be interrupted, as everything here may
    private void execute(TableEnvironment tables, String sql, Consumer<Row> each) throws Exception {
        out.println("SQL> " + sql + ";");
        TableResult result = tables.executeSql(sql);
        boolean rows = sql.startsWith("SELECT");
        if (rows) {
            out.println(Text.cut(String.join(" | ", result.getResolvedSchema().getColumnNames())));
        }
        try (CloseableIterator<Row> found = result.collect()) {
            while (found.hasNext()) {
                Row row = found.next();
                each.accept(row);
                if (rows) {
                    out.println(Text.cut(text(row)));
                }
            }
        }
    }

    private static String text(Row row) {
        List<String> fields = new ArrayList<>();
        for (int i = 0; i < row.getArity(); i++) {
            // What Flink calls a row inside a row begins with a sign for "inserted".
            fields.add(StringUtils.arrayAwareToString(row.getField(i)).replace("+I[", "["));
        }
        return String.join(" | ", fields);
    }

    private static String quoted(String name) {
        return '`' + name.replace("`", "``") + '`';
    }
}
