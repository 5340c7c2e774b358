package io.streamfusion.state.paimon.catalog.decode;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.LogicalType;

/** A row of a state's table while it is filled. */
final class EntryRow {
    private final Columns columns;
    private final GenericRowData row;
    private final Map<Object, Object> undecoded = new LinkedHashMap<>();

    /** The columns of a table by name. */
    static final class Columns {
        private final List<StateColumn> columns;
        private final Map<String, Integer> positions = new HashMap<>();

        Columns(List<StateColumn> columns) {
            this.columns = List.copyOf(columns);
            columns.forEach(column -> positions.put(column.name(), positions.size()));
        }
    }

    EntryRow(Columns columns) {
        this.columns = columns;
        this.row = new GenericRowData(columns.columns.size());
    }

    /**
     * Fills a column.
     *
     * @param value internal data of the type {@code type}
     */
    void put(String column, LogicalType type, @Nullable Object value) {
        if (has(column, type)) {
            row.setField(columns.positions.get(column), value);
        }
    }

    /**
     * Fills a column with an object of {@code shape}, or with its bytes.
     *
     * @param source has the object's bytes from {@code start} to {@code end}
     */
    void put(
            String column,
            Shape shape,
            @Nullable Object object,
            byte[] source,
            int start,
            int end) {
        if (shape.typed() && has(column, shape.type())) {
            try {
                put(column, shape.type(), shape.convert(object));
                return;
            } catch (IOException | RuntimeException | LinkageError e) {
                // No value of the column's type: the bytes say what it is.
            }
        }
        putBytes(column, Arrays.copyOfRange(source, start, end));
    }

    /** Shows bytes that were not decoded: in their own column if it is of bytes. */
    void putBytes(String column, byte[] bytes) {
        if (has(column, Shape.BYTES)) {
            row.setField(columns.positions.get(column), bytes);
        } else {
            undecoded.put(StringData.fromString(column), bytes);
        }
    }

    /** The row. */
    RowData finish() {
        if (!undecoded.isEmpty()) {
            put(StateColumn.UNDECODED, StateShape.UNDECODED_TYPE, new GenericMapData(undecoded));
        }
        return row;
    }

    private boolean has(String column, LogicalType type) {
        Integer position = columns.positions.get(column);
        return position != null && columns.columns.get(position).type().equals(type);
    }
}
