package io.streamfusion.state.paimon.catalog.source;

import java.util.List;
import java.util.function.IntFunction;
import javax.annotation.Nullable;
import org.apache.flink.api.common.io.DefaultInputSplitAssigner;
import org.apache.flink.api.common.io.RichInputFormat;
import org.apache.flink.api.common.io.statistics.BaseStatistics;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.InputSplit;
import org.apache.flink.core.io.InputSplitAssigner;
import org.apache.flink.table.data.RowData;

/**
 * An input format whose splits were planned with the query.
 *
 * @param <S> its splits
 */
abstract class PlannedFormat<S extends InputSplit> extends RichInputFormat<RowData, S> {
    private static final long serialVersionUID = 1L;

    private final S[] splits;

    PlannedFormat(List<S> splits, IntFunction<S[]> newArray) {
        this.splits = splits.toArray(newArray);
    }

    @Override
    public final void configure(Configuration parameters) {}

    @Override
    @Nullable
    public final BaseStatistics getStatistics(@Nullable BaseStatistics cached) {
        return cached;
    }

    @Override
    public final S[] createInputSplits(int minNumSplits) {
        return splits.clone();
    }

    @Override
    public final InputSplitAssigner getInputSplitAssigner(S[] inputSplits) {
        return new DefaultInputSplitAssigner(inputSplits);
    }
}
