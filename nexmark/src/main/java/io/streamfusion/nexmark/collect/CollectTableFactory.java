package io.streamfusion.nexmark.collect;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * {@code 'connector' = 'streamfusion-collect', 'id' = '…'}: with a primary key an upsert sink,
 * without one an append-only sink.
 */
public final class CollectTableFactory implements DynamicTableSinkFactory {
    /** Name of the connector. */
    public static final String IDENTIFIER = "streamfusion-collect";

    private static final ConfigOption<String> ID =
            ConfigOptions.key("id")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The id that the program has opened.");

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        ResolvedSchema schema = context.getCatalogTable().getResolvedSchema();
        List<LogicalType> types = schema.toPhysicalRowDataType().getLogicalType().getChildren();
        int[] all = IntStream.range(0, types.size()).toArray();
        int[] key = schema.getPrimaryKeyIndexes();
        return new CollectTableSink(
                new CollectSink(
                        helper.getOptions().get(ID),
                        new RowText(types, all),
                        key.length == 0 ? null : new RowText(types, key)));
    }

    @Override
    public String factoryIdentifier() {
        return IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(ID);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }
}
