package io.streamfusion.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.cluster.Await;
import io.streamfusion.matrix.job.ClusterSettings;
import io.streamfusion.matrix.job.FlinkBuild;
import io.streamfusion.matrix.job.JobOutcome;
import io.streamfusion.matrix.job.JobSettings;
import io.streamfusion.matrix.job.SideCluster;
import io.streamfusion.matrix.job.SideCluster.RunningQuery;
import io.streamfusion.matrix.kafka.CommittedTopic;
import io.streamfusion.matrix.kafka.Corpus;
import io.streamfusion.matrix.kafka.CorpusLoader;
import io.streamfusion.matrix.kafka.KafkaBroker;
import io.streamfusion.matrix.kafka.Tables;
import io.streamfusion.matrix.kafka.Topics;
import io.streamfusion.matrix.verify.ClockWindows;
import io.streamfusion.matrix.verify.OutputCheck;
import io.streamfusion.matrix.verify.OutputReader;
import io.streamfusion.nexmark.query.NexmarkQuery;
import io.streamfusion.nexmark.query.ResultOracle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * All queries over data set A in a real Kafka, on clusters of a JobManager and two TaskManagers as
 * processes: what is committed is what stock Flink is known to give.
 */
class NexmarkOverKafkaITCase {
    private static final int PARTITIONS = 4;
    private static final int PARALLELISM = 2;
    private static final int TASK_MANAGERS = 2;
    private static final int SLOTS = 4;
    private static final int QUERIES_AT_A_TIME = TASK_MANAGERS * SLOTS / PARALLELISM;

    // A join with an aggregate, a top one of a join, distinct counts.
    private static final List<String> ON_ALL_SLOTS = List.of("q4", "q9", "q16");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private static Path work;

    private static FlinkBuild build;
    private static KafkaBroker broker;
    private static Topics topics;
    private static CommittedTopic committed;
    private static Corpus corpus;

    private final Map<String, String> wrong = new ConcurrentHashMap<>();

    @BeforeAll
    static void start() throws Exception {
        build = new FlinkBuild(Path.of(System.getProperty("sf.root")), work.resolve("flink-home"));
        build.assembleHome();
        broker =
                KafkaBroker.start(
                        work.resolve("kafka"),
                        Path.of(System.getProperty("java.home")),
                        build.brokerClassPath(),
                        OptionalInt.empty());
        topics = new Topics(broker);
        committed = new CommittedTopic(broker, topics);
        corpus = Corpus.ofDataSet("A", PARTITIONS);
        new CorpusLoader(broker, topics).load(corpus);
    }

    @AfterAll
    static void stop() {
        topics.close();
        broker.close();
    }

    @Test
    void aCorpusThatIsThereIsUsedAgain() {
        assertThat(new CorpusLoader(broker, topics).load(corpus)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb", "streamfusion-memory", "streamfusion-paimon"})
    @Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void allQueriesCommitTheKnownRows(String backend) throws Exception {
        try (SideCluster cluster =
                new SideCluster(
                        build,
                        backend,
                        backend.startsWith("streamfusion-"),
                        new ClusterSettings(
                                TASK_MANAGERS,
                                SLOTS,
                                "1500m",
                                "256m",
                                "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"),
                        work.resolve(backend))) {
            cluster.start();
            cluster.renewTaskManagers();
            cluster.awaitTaskManagers();
            runAll(cluster);
            for (String query : ON_ALL_SLOTS) {
                JobOutcome outcome =
                        run(cluster, new NexmarkQuery(query), TASK_MANAGERS * SLOTS, true);
                assertThat(outcome.hosts()).as("TaskManagers of %s", query).isEqualTo(2);
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** Half of the queries with mini-batch, so that its operators run too. */
    private void runAll(SideCluster cluster) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(QUERIES_AT_A_TIME)) {
            running.add(clients.submit(() -> countAllBidsByTheClock(cluster)));
            for (String name : NexmarkQuery.NAMES) {
                NexmarkQuery query = new NexmarkQuery(name);
                boolean miniBatch = running.size() % 2 == 0;
                if (query.deterministic()) {
                    running.add(clients.submit(() -> run(cluster, query, PARALLELISM, miniBatch)));
                }
            }
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    private JobOutcome run(
            SideCluster cluster, NexmarkQuery query, int parallelism, boolean miniBatch)
            throws Exception {
        String topic = "out-%s-%s-%d".formatted(cluster.backend(), query.name(), parallelism);
        topics.create(topic, parallelism);
        JobOutcome outcome =
                cluster.await(
                        cluster.submit(
                                query,
                                topic,
                                new JobSettings(parallelism, miniBatch, false),
                                Tables.kafka(broker, corpus.topic(), topic)),
                        broker::requireAlive);
        committed.awaitNoOpenTransaction(topic);
        List<String> rows = new OutputReader(committed).rows(topic, outcome.schema());
        if (!OutputCheck.isKnown(query, rows, ResultOracle.find("A", query).orElseThrow())) {
            wrong.put(topic, rows.size() + " rows");
        }
        assertThat(outcome.checkpoints().completed()).as(topic).isPositive();
        return outcome;
    }

    /**
     * q12 emits a window when the clock has passed it, and never when its input has ended: it is
     * left open until all is counted.
     */
    private Void countAllBidsByTheClock(SideCluster cluster) throws Exception {
        NexmarkQuery query = new NexmarkQuery("q12");
        String topic = "out-" + cluster.backend() + "-q12";
        topics.create(topic, PARALLELISM);
        RunningQuery running =
                cluster.submit(
                        query,
                        topic,
                        new JobSettings(PARALLELISM, false, false),
                        Tables.endless(broker, corpus.topic(), topic));
        OutputReader reader = new OutputReader(committed);
        ClockWindows windows = new ClockWindows(corpus);
        Await.that(
                "all bids are counted",
                () -> windows.counted(reader.rows(topic, running.schema())) == windows.bids());
        running.job().triggerStop("NATIVE", work.resolve("savepoints").toUri().toString());
        cluster.await(running, broker::requireAlive);
        assertThat(windows.fault(reader.rows(topic, running.schema()))).isEmpty();
        return null;
    }
}
