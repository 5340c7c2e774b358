package io.streamfusion.nexmark.connector;

import java.util.Collection;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.LookupFunction;

/**
 * The lookup of the side input, by its first column. Public because code that Flink generates names
 * it.
 */
public final class SideInputLookup extends LookupFunction {
    private static final long serialVersionUID = 1L;

    private final long rows;

    /** Knows the keys 0 to {@code rows} − 1. */
    public SideInputLookup(long rows) {
        this.rows = rows;
    }

    @Override
    public Collection<RowData> lookup(RowData keyRow) {
        if (keyRow.isNullAt(0)) {
            return List.of();
        }
        long key = keyRow.getLong(0);
        return key >= 0 && key < rows
                ? List.of(GenericRowData.of(key, StringData.fromString(Long.toString(key))))
                : List.of();
    }
}
