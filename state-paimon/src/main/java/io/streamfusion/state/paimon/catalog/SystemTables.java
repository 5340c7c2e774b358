package io.streamfusion.state.paimon.catalog;

import io.streamfusion.state.paimon.catalog.CatalogContents.Database;
import io.streamfusion.state.paimon.catalog.source.FixedRowsFormat;
import io.streamfusion.state.paimon.catalog.source.RowCountFormat;
import java.io.IOException;
import java.io.Serializable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;

/** The tables of the database {@value #DATABASE}, which tell what there is in a catalog. */
final class SystemTables {
    static final String DATABASE = "streamfusion";

    private static final int MILLIS = 3;

    private SystemTables() {}

    /** Names of the tables. */
    static List<String> names() {
        return List.of("checkpoints", "operators", "states", "row_counts");
    }

    /** A table. */
    static Optional<StateCatalogTable> table(String name, CatalogContents contents) {
        return switch (name) {
            case "checkpoints" ->
                    table(
                            "The completed checkpoints",
                            Schema.newBuilder()
                                    .column("job", DataTypes.STRING())
                                    .column("checkpoint", DataTypes.BIGINT())
                                    .column("directory", DataTypes.STRING())
                                    .column("completed", DataTypes.TIMESTAMP_LTZ(MILLIS))
                                    .column("shown", DataTypes.BOOLEAN()),
                            () -> new FixedRowsFormat(checkpoints(contents)));
            case "operators" ->
                    table(
                            "The operators with keyed state",
                            Schema.newBuilder()
                                    .column("job", DataTypes.STRING())
                                    .column("database_name", DataTypes.STRING())
                                    .column("name", DataTypes.STRING())
                                    .column("uid", DataTypes.STRING())
                                    .column("uid_hash", DataTypes.STRING())
                                    .column("parallelism", DataTypes.INT())
                                    .column("max_parallelism", DataTypes.INT())
                                    .column("bytes", DataTypes.BIGINT()),
                            () -> new FixedRowsFormat(operators(contents)));
            case "states" ->
                    table(
                            "The states of all operators",
                            Schema.newBuilder()
                                    .column("database_name", DataTypes.STRING())
                                    .column("table_name", DataTypes.STRING())
                                    .column("kind", DataTypes.STRING())
                                    .column("columns", DataTypes.STRING()),
                            () -> new FixedRowsFormat(states(contents)));
            case "row_counts" ->
                    table(
                            "The number of rows of each state's table; all are read for it",
                            Schema.newBuilder()
                                    .column("database_name", DataTypes.STRING())
                                    .column("table_name", DataTypes.STRING())
                                    .column("row_count", DataTypes.BIGINT()),
                            () -> new RowCountFormat(counts(contents)));
            default -> Optional.empty();
        };
    }

    private static Optional<StateCatalogTable> table(
            String comment, Schema.Builder schema, StateCatalogTable.Rows rows) {
        return Optional.of(new StateCatalogTable(schema.build(), comment, Map.of(), rows));
    }

    private static List<Serializable[]> checkpoints(CatalogContents contents) {
        List<Serializable[]> rows = new ArrayList<>();
        for (CheckpointDirectory.Found found : contents.found()) {
            rows.add(
                    new Serializable[] {
                        found.job().orElse(null),
                        found.number().isPresent() ? found.number().getAsLong() : null,
                        found.directory().toString(),
                        Instant.ofEpochMilli(found.completed()),
                        found.selected()
                    });
        }
        return rows;
    }

    private static List<Serializable[]> operators(CatalogContents contents) {
        List<Serializable[]> rows = new ArrayList<>();
        contents.databases()
                .forEach(
                        (name, database) -> {
                            OperatorState operator = database.operator().operator();
                            rows.add(
                                    new Serializable[] {
                                        database.checkpoint().job().orElse(null),
                                        name,
                                        operator.getOperatorName().orElse(null),
                                        operator.getOperatorUid().orElse(null),
                                        database.operator().hash(),
                                        operator.getParallelism(),
                                        operator.getMaxParallelism(),
                                        database.operator().bytes()
                                    });
                        });
        return rows;
    }

    private static List<Serializable[]> states(CatalogContents contents) throws IOException {
        List<Serializable[]> rows = new ArrayList<>();
        for (Map.Entry<String, Database> database : contents.databases().entrySet()) {
            for (StateTable table : database.getValue().operator().tables().values()) {
                List<String> columns =
                        table.columns().stream()
                                .map(c -> c.name() + " " + c.type().asSummaryString())
                                .toList();
                rows.add(
                        new Serializable[] {
                            database.getKey(),
                            table.shape().name(),
                            table.shape().title(),
                            String.join(", ", columns)
                        });
            }
        }
        return rows;
    }

    private static List<RowCountFormat.Counted> counts(CatalogContents contents)
            throws IOException {
        List<RowCountFormat.Counted> counted = new ArrayList<>();
        for (Map.Entry<String, Database> database : contents.databases().entrySet()) {
            for (StateTable table : database.getValue().operator().tables().values()) {
                counted.add(
                        new RowCountFormat.Counted(
                                counted.size(),
                                database.getKey(),
                                table.shape().name(),
                                table.format()));
            }
        }
        return counted;
    }
}
