package io.streamfusion.matrix.kafka;

import io.streamfusion.nexmark.connector.SideInputTableFactory;
import java.util.Map;

/** Connector options of the queries' tables: values for their placeholders. */
public final class Tables {
    private static final String TRANSACTION_TIMEOUT_MILLIS = "3600000";

    private Tables() {}

    /**
     * Events from a topic, results into another one, exactly once.
     *
     * @param output also the prefix of the transactions' ids, so it has to be new
     */
    public static Map<String, String> kafka(KafkaBroker broker, String corpus, String output) {
        return kafkaSinks(broker, boundedSource(broker, corpus), output);
    }

    /** The same, and the job goes on when it has read the topic. */
    public static Map<String, String> endless(KafkaBroker broker, String corpus, String output) {
        return kafkaSinks(broker, source(broker, corpus), output);
    }

    private static Map<String, String> kafkaSinks(
            KafkaBroker broker, String source, String output) {
        return with(
                source,
                sink(broker, "kafka", output) + ", 'format' = 'json', 'sink.partitioner' = 'fixed'",
                sink(broker, "upsert-kafka", output)
                        + ", 'key.format' = 'json', 'value.format' = 'json'");
    }

    /** Events from a topic, results to nowhere. */
    public static Map<String, String> blackhole(KafkaBroker broker, String corpus) {
        String nowhere = "'connector' = 'blackhole'";
        return with(boundedSource(broker, corpus), nowhere, nowhere);
    }

    private static Map<String, String> with(String source, String append, String upsert) {
        return Map.of(
                "source_options",
                source,
                "side_input_options",
                option("connector", SideInputTableFactory.IDENTIFIER),
                "append_options",
                append,
                "upsert_options",
                upsert,
                "q10_partitioned_by",
                "");
    }

    private static String source(KafkaBroker broker, String topic) {
        return String.join(
                ", ",
                option("connector", "kafka"),
                option("topic", topic),
                option("properties.bootstrap.servers", broker.bootstrapServers()),
                option("scan.startup.mode", "earliest-offset"),
                option("format", "json"));
    }

    /** The stream ends where the topic ends when the job begins. */
    private static String boundedSource(KafkaBroker broker, String topic) {
        return source(broker, topic) + ", " + option("scan.bounded.mode", "latest-offset");
    }

    private static String sink(KafkaBroker broker, String connector, String topic) {
        return String.join(
                ", ",
                option("connector", connector),
                option("topic", topic),
                option("properties.bootstrap.servers", broker.bootstrapServers()),
                option("properties.transaction.timeout.ms", TRANSACTION_TIMEOUT_MILLIS),
                option("sink.delivery-guarantee", "exactly-once"),
                option("sink.transactional-id-prefix", topic));
    }

    private static String option(String name, String value) {
        return "'" + name + "' = '" + value + "'";
    }
}
