package io.streamfusion.state.paimon.readers;

import io.streamfusion.state.paimon.kit.Tables;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.paimon.flink.LogicalTypeConversion;
import org.apache.paimon.types.DataField;

/** Reads tables by Flink SQL through Paimon's connector, knowing only their path. */
final class FlinkSqlReader {
    private final TableEnvironment environment =
            TableEnvironment.create(EnvironmentSettings.inBatchMode());

    /** The rows of a table as of a snapshot. */
    TableRows read(Path table, long snapshot) throws Exception {
        String columns =
                Tables.open(table, snapshot).rowType().getFields().stream()
                        .map(FlinkSqlReader::column)
                        .collect(Collectors.joining(", "));
        environment.executeSql("DROP TEMPORARY TABLE IF EXISTS state");
        String key = String.join(", ", Tables.open(table, snapshot).primaryKeys());
        environment.executeSql(
                """
                CREATE TEMPORARY TABLE state (%s, PRIMARY KEY (%s) NOT ENFORCED)
                WITH ('connector' = 'paimon', 'path' = '%s')
                """
                        .formatted(columns, key, table.toUri()));
        String query =
                "SELECT * FROM state /*+ OPTIONS('scan.snapshot-id'='%d') */".formatted(snapshot);
        List<Map<String, String>> rows = new ArrayList<>();
        CloseableIterator<Row> found = environment.executeSql(query).collect();
        try {
            while (found.hasNext()) {
                Row row = found.next();
                Map<String, String> plain = new TreeMap<>();
                for (String name : row.getFieldNames(true)) {
                    Object value = row.getField(name);
                    if (value != null) {
                        plain.put(name, plain(value));
                    }
                }
                rows.add(plain);
            }
        } finally {
            found.close();
        }
        return TableRows.of(rows);
    }

    private static String column(DataField field) {
        return "`%s` %s"
                .formatted(
                        field.name(),
                        LogicalTypeConversion.toLogicalType(field.type()).asSerializableString());
    }

    private static String plain(Object value) {
        return switch (value) {
            case byte[] bytes -> HexFormat.of().formatHex(bytes);
            case LocalDateTime time -> Long.toString(time.toInstant(ZoneOffset.UTC).toEpochMilli());
            case LocalDate date -> Long.toString(date.toEpochDay());
            case Float number -> Double.toString(number);
            default -> value.toString();
        };
    }
}
