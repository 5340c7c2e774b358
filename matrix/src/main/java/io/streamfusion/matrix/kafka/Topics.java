package io.streamfusion.matrix.kafka;

import io.streamfusion.matrix.MatrixException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** Makes, measures and removes topics. Every call waits for its outcome. Any thread may use it. */
public final class Topics implements AutoCloseable {
    private static final long ASK_EVERY_MILLIS = 200;

    private final KafkaBroker broker;
    private final Admin admin;

    /**
     * @param broker asked whether it lives when a call fails
     */
    public Topics(KafkaBroker broker) {
        this.broker = broker;
        this.admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                broker.bootstrapServers()));
    }

    /** Makes an empty topic; one of that name must not be there. */
    public void create(String topic, int partitions) {
        NewTopic wanted = new NewTopic(topic, partitions, (short) 1);
        await("create topic " + topic, admin.createTopics(List.of(wanted)).all());
    }

    /** Returns the names of all topics but Kafka's own. */
    public Set<String> names() {
        return await("list topics", admin.listTopics().names());
    }

    /** Removes topics that are there. */
    public void delete(Collection<String> topics) {
        if (!topics.isEmpty()) {
            await("delete topics " + topics, admin.deleteTopics(topics).all());
        }
    }

    /**
     * Returns where each partition ends: behind the last record that readers of this isolation
     * level get.
     */
    public Map<TopicPartition, Long> ends(String topic, IsolationLevel level) {
        List<TopicPartition> partitions = partitions(topic);
        return await(
                        "find the ends of " + topic,
                        admin.listOffsets(
                                        partitions.stream()
                                                .collect(
                                                        Collectors.toMap(
                                                                Function.identity(),
                                                                p -> OffsetSpec.latest())),
                                        new ListOffsetsOptions(level))
                                .all())
                .entrySet()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }

    private List<TopicPartition> partitions(String topic) {
        int count =
                await(
                                "describe topic " + topic,
                                admin.describeTopics(List.of(topic)).allTopicNames())
                        .get(topic)
                        .partitions()
                        .size();
        return IntStream.range(0, count).mapToObj(i -> new TopicPartition(topic, i)).toList();
    }

    /** A broker that has died is noticed long before the client gives up on it. */
    private <T> T await(String what, KafkaFuture<T> future) {
        try {
            while (true) {
                try {
                    return future.get(ASK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException notYet) {
                    broker.requireAlive();
                }
            }
        } catch (ExecutionException e) {
            broker.requireAlive();
            throw new MatrixException("cannot " + what + ": " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MatrixException("interrupted: " + what, e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
