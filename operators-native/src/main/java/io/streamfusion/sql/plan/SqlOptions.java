package io.streamfusion.sql.plan;

import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * What a user may set about native SQL. Read from the table configuration when a query is
 * translated, so {@code SET} changes the queries that follow.
 */
public final class SqlOptions {
    /** When a native operator between row operators is worth its two conversions. */
    public enum Islands {
        /** As the planner's cost rule says. */
        AUTO,
        /** Always. */
        ALWAYS
    }

    /** Whether operators run natively at all. */
    public static final ConfigOption<Boolean> ENABLED =
            ConfigOptions.key("streamfusion.sql.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether SQL operators run natively where they can. If false, plans are"
                                    + " those of stock Flink.");

    /** Native operators between operators on rows. */
    public static final ConfigOption<Islands> ISLANDS =
            ConfigOptions.key("streamfusion.sql.islands")
                    .enumType(Islands.class)
                    .defaultValue(Islands.AUTO)
                    .withDescription(
                            "Whether an operator runs natively although its neighbours work on"
                                    + " rows: if that is worth the conversions, or always.");

    /** Rows of a batch. */
    public static final ConfigOption<Integer> BATCH_ROWS =
            ConfigOptions.key("streamfusion.sql.batch.rows")
                    .intType()
                    .defaultValue(2048)
                    .withDescription(
                            "Rows that are collected into one batch, unless a watermark, a"
                                    + " checkpoint or the end comes first.");

    /** Bytes of a batch. */
    public static final ConfigOption<MemorySize> BATCH_BYTES =
            ConfigOptions.key("streamfusion.sql.batch.bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(1))
                    .withDescription(
                            "Bytes of records that are collected into one batch; a batch ends with"
                                    + " the record that reaches them.");

    /** Longest wait of a row. */
    public static final ConfigOption<Duration> BATCH_TIMEOUT =
            ConfigOptions.key("streamfusion.sql.batch.timeout")
                    .durationType()
                    .defaultValue(Duration.ofMillis(20))
                    .withDescription(
                            "The longest time that a row waits for its batch to fill. Kafka sources"
                                    + " do not wait: a batch is what was fetched.");

    /** Memory of all batches of a process. */
    public static final ConfigOption<MemorySize> BATCH_MEMORY =
            ConfigOptions.key("streamfusion.sql.batch-memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(256))
                    .withDescription(
                            "The most native memory that batches in work may have in one process."
                                    + " A task that would need more fails.");

    private SqlOptions() {}

    /**
     * Whether operators of one kind may run natively.
     *
     * @param operator as in the option's key, such as {@code calc}
     */
    public static ConfigOption<Boolean> operatorEnabled(String operator) {
        return ConfigOptions.key("streamfusion.sql.operator." + operator + ".enabled")
                .booleanType()
                .defaultValue(true)
                .withDescription("Whether operators of this kind may run natively.");
    }
}
