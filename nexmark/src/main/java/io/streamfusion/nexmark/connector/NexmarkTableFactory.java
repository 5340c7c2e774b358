package io.streamfusion.nexmark.connector;

import io.streamfusion.nexmark.generator.NexmarkSettings;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.LogicalType;

/** {@code 'connector' = 'streamfusion-nexmark'}: the event stream of {@code ddl.sql}. */
public final class NexmarkTableFactory implements DynamicTableSourceFactory {
    /** Name of the connector. */
    public static final String IDENTIFIER = "streamfusion-nexmark";

    /** Name of the counter of emitted events, in the metric group of the source operator. */
    public static final String EVENTS_COUNTER = "nexmarkEvents";

    /** Length of the stream; without it the table is unbounded. */
    public static final ConfigOption<Long> EVENTS =
            ConfigOptions.key("events")
                    .longType()
                    .noDefaultValue()
                    .withDescription("Number of events; a table without it is unbounded.");

    /** Chooses the stream. */
    public static final ConfigOption<Long> SEED =
            ConfigOptions.key("seed")
                    .longType()
                    .defaultValue(0L)
                    .withDescription("Another seed gives another stream.");

    /** Event time of the first event. */
    public static final ConfigOption<String> BASE_TIME =
            ConfigOptions.key("base-time")
                    .stringType()
                    .defaultValue(NexmarkSettings.DEFAULT_BASE.toString())
                    .withDescription("Event time of event 0, as an ISO-8601 instant.");

    /** Density in event time. */
    public static final ConfigOption<Double> RATE =
            ConfigOptions.key("rate")
                    .doubleType()
                    .defaultValue(NexmarkSettings.DEFAULT_EVENTS_PER_SECOND)
                    .withDescription(
                            "Events in one second of event time. Above 1000 events share"
                                    + " milliseconds.");

    /** Disorder. */
    public static final ConfigOption<Integer> SHUFFLE =
            ConfigOptions.key("shuffle")
                    .intType()
                    .defaultValue(1)
                    .withDescription(
                            "Size of the groups inside which events are out of order; 1 is in"
                                    + " order.");

    /** Throttle by the clock. */
    public static final ConfigOption<Double> EVENTS_PER_SECOND =
            ConfigOptions.key("events-per-second")
                    .doubleType()
                    .noDefaultValue()
                    .withDescription(
                            "Greatest number of events in one second of the clock, over all"
                                    + " readers.");

    /** Puts off the end. */
    public static final ConfigOption<String> END_GATE =
            ConfigOptions.key("end-gate")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "For embedded Flink: the gate in this JVM that must open before the"
                                    + " stream ends.");

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        checkColumns(context);
        try {
            return new NexmarkTableSource(source(helper.getOptions()));
        } catch (IllegalArgumentException e) {
            throw new ValidationException(
                    "Table " + context.getObjectIdentifier() + ": " + e.getMessage(), e);
        }
    }

    private static NexmarkSource source(ReadableConfig options) {
        NexmarkSettings settings =
                new NexmarkSettings(
                        options.get(SEED),
                        options.get(RATE),
                        baseMillis(options.get(BASE_TIME)),
                        options.get(SHUFFLE));
        return new NexmarkSource(
                settings,
                options.getOptional(EVENTS).orElse(Long.MAX_VALUE),
                options.getOptional(EVENTS_PER_SECOND).orElse(Double.POSITIVE_INFINITY),
                options.getOptional(END_GATE));
    }

    private static long baseMillis(String instant) {
        try {
            return Instant.parse(instant).toEpochMilli();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "base-time is an instant like "
                            + NexmarkSettings.DEFAULT_BASE
                            + ", not '"
                            + instant
                            + "'",
                    e);
        }
    }

    private static void checkColumns(Context context) {
        LogicalType wanted = EventRows.type().getLogicalType();
        LogicalType found =
                context.getCatalogTable()
                        .getResolvedSchema()
                        .toPhysicalRowDataType()
                        .getLogicalType();
        if (!found.copy(true).equals(wanted)) {
            throw new ValidationException(
                    "Table "
                            + context.getObjectIdentifier()
                            + ": connector "
                            + IDENTIFIER
                            + " fills the columns "
                            + wanted.asSummaryString()
                            + ", the table has "
                            + found.asSummaryString());
        }
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
        return Set.of(EVENTS, SEED, BASE_TIME, RATE, SHUFFLE, EVENTS_PER_SECOND, END_GATE);
    }
}
