package io.streamfusion.nexmark.collect;

import java.io.Serializable;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Rows, or some of their columns, as text: joined with {@code |}, NULL as {@code \N}, timestamps as
 * {@code yyyy-MM-dd HH:mm:ss.SSS}, all else as its value prints. Thread-safe.
 */
final class RowText implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Between columns. */
    static final char SEPARATOR = '|';

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");

    private final RowData.FieldGetter[] getters;

    /**
     * Text of these columns.
     *
     * @param types of all columns
     * @param columns positions of those to print, in order
     */
    RowText(List<LogicalType> types, int[] columns) {
        getters = new RowData.FieldGetter[columns.length];
        for (int i = 0; i < columns.length; i++) {
            getters[i] = RowData.createFieldGetter(types.get(columns[i]), columns[i]);
        }
    }

    /** Throws {@link IllegalArgumentException} for a value that would make the text ambiguous. */
    String of(RowData row) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < getters.length; i++) {
            if (i > 0) {
                text.append(SEPARATOR);
            }
            append(text, getters[i].getFieldOrNull(row));
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Object value) {
        if (value == null) {
            text.append("\\N");
        } else if (value instanceof TimestampData time) {
            TIME.formatTo(time.toLocalDateTime(), text);
        } else {
            String plain = value.toString();
            if (plain.indexOf(SEPARATOR) >= 0 || plain.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("a value contains a separator: " + plain);
            }
            text.append(plain);
        }
    }
}
