package io.streamfusion.state.paimon.catalog.source;

import java.io.IOException;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.core.io.InputSplit;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;

/** Counts the rows of states by reading them: database, table, number. A split is a state. */
public final class RowCountFormat extends PlannedFormat<RowCountFormat.Counted> {
    private static final long serialVersionUID = 1L;

    @Nullable private transient Counted current;

    /**
     * A state to count.
     *
     * @param number from 0
     * @param database its database in the catalog
     * @param table its table
     * @param format reads it
     */
    public record Counted(int number, String database, String table, StateInputFormat format)
            implements InputSplit {
        @Override
        public int getSplitNumber() {
            return number;
        }
    }

    /** Creates the format. */
    public RowCountFormat(List<Counted> states) {
        super(states, Counted[]::new);
    }

    @Override
    public void open(Counted split) {
        current = split;
    }

    @Override
    public boolean reachedEnd() {
        return current == null;
    }

    @Override
    public RowData nextRecord(RowData reuse) throws IOException {
        Counted state = current;
        current = null;
        return GenericRowData.of(
                StringData.fromString(state.database()),
                StringData.fromString(state.table()),
                count(state.format()));
    }

    private static long count(StateInputFormat format) throws IOException {
        long rows = 0;
        for (StateInputSplit split : format.createInputSplits(1)) {
            try {
                format.open(split);
                while (!format.reachedEnd()) {
                    format.nextRecord(null);
                    rows++;
                }
            } finally {
                format.close();
            }
        }
        return rows;
    }

    @Override
    public void close() {}
}
