package io.streamfusion.matrix.verify;

import java.util.List;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * What is needed to read a sink's records.
 *
 * @param columns in the order of the table
 * @param upsert whether records have keys and replace each other
 */
public record SinkSchema(List<SinkColumn> columns, boolean upsert) {

    /** A column. */
    public record SinkColumn(String name, LogicalType type) {}

    /** Of a resolved table. */
    public static SinkSchema of(ResolvedSchema schema) {
        return new SinkSchema(
                schema.getColumns().stream()
                        .filter(Column::isPhysical)
                        .map(
                                column ->
                                        new SinkColumn(
                                                column.getName(),
                                                column.getDataType().getLogicalType()))
                        .toList(),
                schema.getPrimaryKey().isPresent());
    }
}
