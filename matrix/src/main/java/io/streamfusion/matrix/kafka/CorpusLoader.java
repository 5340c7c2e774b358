package io.streamfusion.matrix.kafka;

import io.streamfusion.matrix.MatrixException;
import io.streamfusion.nexmark.generator.NexmarkEvent;
import io.streamfusion.nexmark.generator.NexmarkGenerator;
import io.streamfusion.nexmark.generator.NexmarkJson;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes a {@link Corpus}, a thread and a producer for each partition, unless it is there. */
public final class CorpusLoader {
    private static final int BATCH_BYTES = 1 << 18;
    private static final long ASK_EVERY_MILLIS = 200;

    private final KafkaBroker broker;
    private final Topics topics;

    /** Of one broker. */
    public CorpusLoader(KafkaBroker broker, Topics topics) {
        this.broker = broker;
        this.topics = topics;
    }

    /**
     * Sees to it that the topic holds the whole corpus.
     *
     * @return whether it had to be written: not when an earlier run did
     */
    public boolean load(Corpus corpus) {
        String topic = corpus.topic();
        if (topics.names().contains(topic)) {
            if (complete(corpus)) {
                return false;
            }
            topics.delete(List.of(topic));
        }
        topics.create(topic, corpus.partitions());
        try (ExecutorService threads = Executors.newFixedThreadPool(corpus.partitions())) {
            try {
                IntStream.range(0, corpus.partitions())
                        .<Future<?>>mapToObj(p -> threads.submit(() -> write(corpus, topic, p)))
                        .toList()
                        .forEach(this::await);
            } finally {
                threads.shutdownNow(); // those that go on after a failure would wait for long
            }
        }
        if (!complete(corpus)) {
            throw new MatrixException("the events did not all arrive in topic " + topic);
        }
        return true;
    }

    private boolean complete(Corpus corpus) {
        Map<TopicPartition, Long> ends =
                topics.ends(corpus.topic(), IsolationLevel.READ_UNCOMMITTED);
        return ends.size() == corpus.partitions()
                && ends.entrySet().stream()
                        .allMatch(
                                end -> end.getValue() == corpus.eventsIn(end.getKey().partition()));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback hears of failures
    private void write(Corpus corpus, String topic, int partition) {
        NexmarkGenerator generator = new NexmarkGenerator(corpus.settings());
        NexmarkJson json = new NexmarkJson();
        AtomicReference<Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                broker.bootstrapServers(),
                                ProducerConfig.LINGER_MS_CONFIG,
                                50,
                                ProducerConfig.BATCH_SIZE_CONFIG,
                                BATCH_BYTES),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (long n = partition; n < corpus.events(); n += corpus.partitions()) {
                NexmarkEvent event = generator.event(n);
                byte[] value = Corpus.bytes(json.line(event));
                producer.send(
                        new ProducerRecord<>(topic, partition, event.dateTime(), null, value),
                        (metadata, e) -> {
                            if (e != null) {
                                failure.compareAndSet(null, e);
                            }
                        });
                if (failure.get() != null) {
                    break;
                }
            }
            producer.flush();
        }
        if (failure.get() != null) {
            throw new MatrixException(
                    "cannot write to topic " + topic + ": " + failure.get(), failure.get());
        }
    }

    private void await(Future<?> writer) {
        try {
            while (true) {
                try {
                    writer.get(ASK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException notYet) {
                    broker.requireAlive();
                }
            }
        } catch (ExecutionException e) {
            broker.requireAlive();
            throw e.getCause() instanceof MatrixException known
                    ? known
                    : new MatrixException("cannot write the events: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MatrixException("interrupted while the events are written", e);
        }
    }
}
