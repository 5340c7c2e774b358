package io.streamfusion.state.paimon.catalog;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;

/** Creates sources for the tables of a {@link StateCatalog}. */
final class StateTableFactory implements DynamicTableSourceFactory {
    @Override
    public String factoryIdentifier() {
        return "streamfusion-state";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        StateCatalogTable table = (StateCatalogTable) context.getCatalogTable().getOrigin();
        return new StateTableSource(context.getObjectIdentifier().asSummaryString(), table);
    }
}
