package io.streamfusion.nexmark.connector;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * {@code 'connector' = 'streamfusion-nexmark-side-input'}: rows (i, 'i'), computed when they are
 * looked up.
 */
public final class SideInputTableFactory implements DynamicTableSourceFactory {
    /** Name of the connector. */
    public static final String IDENTIFIER = "streamfusion-nexmark-side-input";

    private static final ConfigOption<Long> ROWS =
            ConfigOptions.key("rows")
                    .longType()
                    .defaultValue(10_000L)
                    .withDescription("Keys 0 to this number minus 1 are found.");

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        return new SideInputTable(helper.getOptions().get(ROWS));
    }

    @Override
    public String factoryIdentifier() {
        return IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(ROWS);
    }
}
