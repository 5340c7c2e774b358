package io.streamfusion.state.paimon.catalog.source;

import java.util.List;
import org.apache.flink.core.io.InputSplit;
import org.apache.paimon.table.source.DataSplit;

/**
 * Files to read.
 *
 * @param number among all splits of the query
 * @param part whose files they are
 * @param files all in one bucket
 */
record StateInputSplit(int number, TablePart part, List<DataSplit> files) implements InputSplit {
    @Override
    public int getSplitNumber() {
        return number;
    }
}
