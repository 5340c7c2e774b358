package io.streamfusion.nexmark.connector;

import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;

/** The stream as a table. It takes no push-downs, so that plans are those of any plain source. */
record NexmarkTableSource(NexmarkSource source) implements ScanTableSource {

    @Override
    public ChangelogMode getChangelogMode() {
        return ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        return SourceProvider.of(source);
    }

    @Override
    public DynamicTableSource copy() {
        return this;
    }

    @Override
    public String asSummaryString() {
        return NexmarkTableFactory.IDENTIFIER;
    }
}
