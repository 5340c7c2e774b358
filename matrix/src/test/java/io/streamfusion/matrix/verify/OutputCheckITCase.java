package io.streamfusion.matrix.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.matrix.job.FlinkBuild;
import io.streamfusion.matrix.kafka.CommittedTopic;
import io.streamfusion.matrix.kafka.Corpus;
import io.streamfusion.matrix.kafka.KafkaBroker;
import io.streamfusion.matrix.kafka.Topics;
import io.streamfusion.matrix.verify.OutputCheck.Verdict;
import io.streamfusion.matrix.verify.SinkSchema.SinkColumn;
import io.streamfusion.nexmark.query.NexmarkQuery;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs that are the same, and such that are not, in a real broker. */
class OutputCheckITCase {
    private static final NexmarkQuery APPENDING = new NexmarkQuery("q2");
    private static final NexmarkQuery UPDATING = new NexmarkQuery("q4");

    @TempDir private static Path work;

    private static KafkaBroker broker;
    private static Topics topics;

    private final Path kept = work.resolve("kept");
    private final OutputCheck check =
            new OutputCheck(
                    new OutputReader(new CommittedTopic(broker, topics)),
                    Corpus.ofDataSet("A", 4),
                    Optional.empty(),
                    kept);

    @BeforeAll
    static void start() throws IOException {
        broker =
                KafkaBroker.start(
                        work.resolve("kafka"),
                        Path.of(System.getProperty("java.home")),
                        new FlinkBuild(Path.of(System.getProperty("sf.root")), work)
                                .brokerClassPath(),
                        OptionalInt.empty());
        topics = new Topics(broker);
    }

    @AfterAll
    static void stop() {
        topics.close();
        broker.close();
    }

    @Test
    void orderAndPartitionsMakeNoDifferenceAndAbortedRecordsAreNone() throws IOException {
        write("one", 1, false, true, row(1), row(2), row(2));
        write("other", 2, false, true, row(2), row(1), row(2));
        write("other", 0, false, false, row(3));
        Verdict verdict = compare(APPENDING, "one", "other");
        assertThat(verdict).isEqualTo(new Verdict(true, "the same 3 rows", 3, 3));
        assertThat(kept.resolve("one.rows")).doesNotExist();
    }

    @Test
    void aRowThatIsThereOnceMoreIsFoundAndBothAreKept() throws IOException {
        write("right", 1, false, true, row(1), row(2));
        write("doubled", 1, false, true, row(1), row(2), row(2));
        Verdict verdict = compare(APPENDING, "right", "doubled");
        assertThat(verdict.right()).isFalse();
        assertThat(verdict.text()).startsWith("2 rows of stock and 3 of ours differ");
        assertThat(kept.resolve("right.rows")).hasContent("1|1\n2|2\n");
        assertThat(kept.resolve("doubled.rows")).hasContent("1|1\n2|2\n2|2\n");
    }

    @Test
    void updatesAreFoldedByTheirKeys() throws IOException {
        write("folded", 1, true, true, row(1), row(2));
        write("updates", 1, true, true, row(3), row(2), row(1), gone(3), row(2));
        assertThat(compare(UPDATING, "folded", "updates").text()).isEqualTo("the same 2 rows");
        write("others", 1, true, true, row(1), row(2), gone(2));
        assertThat(compare(UPDATING, "folded", "others").right()).isFalse();
    }

    /** A row of two equal columns, the first of which is the key. */
    private record Row(int number, boolean deleted) {}

    private static Row row(int number) {
        return new Row(number, false);
    }

    private static Row gone(int number) {
        return new Row(number, true);
    }

    private Verdict compare(NexmarkQuery query, String stock, String ours) throws IOException {
        SinkSchema schema =
                new SinkSchema(
                        List.of(
                                new SinkColumn("a", new BigIntType()),
                                new SinkColumn("b", new BigIntType())),
                        query.equals(UPDATING));
        return check.compare(
                query,
                new OutputCheck.Side(stock, stock, schema),
                new OutputCheck.Side(ours, ours, schema));
    }

    /** In one transaction. */
    private static void write(
            String topic, int partition, boolean keyed, boolean commit, Row... rows) {
        if (!topics.names().contains(topic)) {
            topics.create(topic, 3);
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                broker.bootstrapServers(),
                                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                                topic),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            for (Row row : rows) {
                byte[] key = keyed ? bytes("{\"a\":%d}".formatted(row.number())) : null;
                byte[] value =
                        row.deleted()
                                ? null
                                : bytes("{\"a\":%1$d,\"b\":%1$d}".formatted(row.number()));
                var unused = producer.send(new ProducerRecord<>(topic, partition, key, value));
            }
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.flush();
                producer.abortTransaction();
            }
        }
        new CommittedTopic(broker, topics).awaitNoOpenTransaction(topic);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
