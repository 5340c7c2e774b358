package io.streamfusion.matrix.kafka;

import io.streamfusion.cluster.Await;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What finished jobs have committed to topics. One thread an instance. */
public final class CommittedTopic {
    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaBroker broker;
    private final Topics topics;

    /** Of one broker. */
    public CommittedTopic(KafkaBroker broker, Topics topics) {
        this.broker = broker;
        this.topics = topics;
    }

    /** Takes one record. */
    public interface Visitor {
        /**
         * Called once for each record.
         *
         * @param key null where the topic has none
         * @param value null for a deletion
         */
        void visit(byte[] key, byte[] value);
    }

    /**
     * Waits until no transaction is open: then everything that a job has written is committed or
     * aborted. The broker ends a committed transaction a moment after it has promised to.
     *
     * @throws io.streamfusion.cluster.ClusterException when one stays open
     */
    public void awaitNoOpenTransaction(String topic) {
        Await.that(
                "no transaction is open in " + topic,
                () -> {
                    broker.requireAlive();
                    return topics.ends(topic, IsolationLevel.READ_COMMITTED)
                            .equals(topics.ends(topic, IsolationLevel.READ_UNCOMMITTED));
                });
    }

    /** Passes all records that are committed now, each partition's in order. */
    public void forEach(String topic, Visitor visitor) {
        Properties properties = new Properties();
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers());
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        Map<TopicPartition, Long> ends = topics.ends(topic, IsolationLevel.READ_COMMITTED);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            Set<TopicPartition> unread = new HashSet<>(ends.keySet());
            consumer.assign(unread);
            consumer.seekToBeginning(unread);
            while (true) {
                unread.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
                if (unread.isEmpty()) {
                    return;
                }
                broker.requireAlive();
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    visitor.visit(record.key(), record.value());
                }
            }
        }
    }
}
