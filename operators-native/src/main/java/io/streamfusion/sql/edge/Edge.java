package io.streamfusion.sql.edge;

/** What passes between two operators. */
public enum Edge {
    /** One {@code RowData} a record. */
    ROWS,
    /** One {@link io.streamfusion.sql.runtime.NativeBatchRecord} a record. */
    BATCHES
}
