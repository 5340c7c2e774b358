package io.streamfusion.nexmark.collect;

import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;

/** The sink as the planner sees it. */
record CollectTableSink(CollectSink sink) implements DynamicTableSink {

    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requested) {
        return sink.key() == null ? ChangelogMode.insertOnly() : ChangelogMode.upsert();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        return SinkV2Provider.of(sink);
    }

    @Override
    public DynamicTableSink copy() {
        return this;
    }

    @Override
    public String asSummaryString() {
        return CollectTableFactory.IDENTIFIER;
    }
}
