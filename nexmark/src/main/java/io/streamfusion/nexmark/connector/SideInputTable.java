package io.streamfusion.nexmark.connector;

import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;

/** The side input as the planner sees it: a table for lookups only. */
record SideInputTable(long rows) implements LookupTableSource {

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        return LookupFunctionProvider.of(new SideInputLookup(rows));
    }

    @Override
    public DynamicTableSource copy() {
        return this;
    }

    @Override
    public String asSummaryString() {
        return SideInputTableFactory.IDENTIFIER;
    }
}
