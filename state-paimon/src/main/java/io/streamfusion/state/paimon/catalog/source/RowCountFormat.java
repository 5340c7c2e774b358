package io.streamfusion.state.paimon.catalog.source;

import java.io.IOException;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.io.DefaultInputSplitAssigner;
import org.apache.flink.api.common.io.RichInputFormat;
import org.apache.flink.api.common.io.statistics.BaseStatistics;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.InputSplit;
import org.apache.flink.core.io.InputSplitAssigner;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;

/** Counts the rows of states by reading them: database, table, number. A split is a state. */
public final class RowCountFormat extends RichInputFormat<RowData, RowCountFormat.Counted> {
    private static final long serialVersionUID = 1L;

    private final Counted[] states;
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
        this.states = states.toArray(Counted[]::new);
    }

    @Override
    public void configure(Configuration parameters) {}

    @Override
    @Nullable
    public BaseStatistics getStatistics(@Nullable BaseStatistics cached) {
        return cached;
    }

    @Override
    public Counted[] createInputSplits(int minNumSplits) {
        return states.clone();
    }

    @Override
    public InputSplitAssigner getInputSplitAssigner(Counted[] inputSplits) {
        return new DefaultInputSplitAssigner(inputSplits);
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
