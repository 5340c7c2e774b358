package io.streamfusion.state.paimon.catalog.source;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import org.apache.flink.api.common.io.GenericInputFormat;
import org.apache.flink.api.common.io.NonParallelInput;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

/** Gives rows that are known beforehand. */
public final class FixedRowsFormat extends GenericInputFormat<RowData> implements NonParallelInput {
    private static final long serialVersionUID = 1L;

    private final Serializable[][] rows;
    private transient int next;

    /**
     * Creates the format.
     *
     * @param rows fields of type {@link String}, {@link Instant}, or as SQL's internal data are
     */
    public FixedRowsFormat(List<Serializable[]> rows) {
        this.rows = rows.toArray(Serializable[][]::new);
    }

    @Override
    public void open(GenericInputSplit split) {
        next = 0;
    }

    @Override
    public boolean reachedEnd() {
        return next == rows.length;
    }

    @Override
    public RowData nextRecord(RowData reuse) {
        Serializable[] fields = rows[next++];
        GenericRowData row = new GenericRowData(fields.length);
        for (int i = 0; i < fields.length; i++) {
            row.setField(
                    i,
                    switch (fields[i]) {
                        case String text -> StringData.fromString(text);
                        case Instant time -> TimestampData.fromInstant(time);
                        case null, default -> fields[i];
                    });
        }
        return row;
    }
}
