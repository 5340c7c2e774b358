package io.streamfusion.nexmark.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.nexmark.generator.NexmarkGenerator;
import io.streamfusion.nexmark.generator.NexmarkSettings;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The source in real jobs: what arrives never depends on parallelism, rescaling or failures. */
class NexmarkSourceITCase {
    @RegisterExtension
    private static final MiniClusterExtension FLINK =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(3)
                            .build());

    private static final NexmarkSettings SETTINGS = NexmarkSettings.ofSeed(42);
    private static final double UNLIMITED = Double.POSITIVE_INFINITY;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everyParallelismEmitsTheSameEvents(int parallelism) throws Exception {
        long events = 7_777;
        Collected collected = new Collected(1);
        StreamExecutionEnvironment flink = environment(parallelism, Map.of());
        source(flink, events, UNLIMITED).map(RowData::toString).sinkTo(collected.sink());
        flink.execute();
        assertThat(collected.values()).containsExactlyInAnyOrderElementsOf(expected(events));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aSavepointContinuesAtAnotherParallelism(int later, @TempDir Path savepoints)
            throws Exception {
        Collected before = new Collected(5_000);
        StreamExecutionEnvironment first = environment(2, Map.of());
        source(first, Long.MAX_VALUE, 20_000).map(RowData::toString).sinkTo(before.sink());
        JobClient job = first.executeAsync();
        before.awaitEnough();
        String savepoint =
                job.stopWithSavepoint(
                                false, savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
                        .get();
        assertThat(before.values()).hasSizeGreaterThanOrEqualTo(5_000);

        // Far enough that no range of the first job reaches past the end.
        long events = before.values().size() + 10_000L;
        Collected after = new Collected(1);
        StreamExecutionEnvironment second =
                environment(later, Map.of("execution.state-recovery.path", savepoint));
        source(second, events, UNLIMITED).map(RowData::toString).sinkTo(after.sink());
        second.execute();

        List<String> both = new ArrayList<>(before.values());
        both.addAll(after.values());
        assertThat(both).containsExactlyInAnyOrderElementsOf(expected(events));
    }

    @Test
    void aFailedJobReplaysExactlyWhatItsCheckpointHadNot() throws Exception {
        long events = 20_000;
        FailOnce.ARMED.set(true);
        LastValue.LAST.set(0);
        StreamExecutionEnvironment flink =
                environment(
                        2,
                        Map.of(
                                "restart-strategy.type", "fixed-delay",
                                "restart-strategy.fixed-delay.attempts", "10",
                                "restart-strategy.fixed-delay.delay", "0 s"));
        flink.enableCheckpointing(20);
        source(flink, events, 20_000)
                .map(new FailOnce())
                .map(row -> fingerprint(row.toString()))
                .keyBy(fingerprint -> 0)
                .reduce(Long::sum)
                .map(new LastValue())
                .setParallelism(1)
                .sinkTo(new DiscardingSink<>());
        flink.execute();
        assertThat(FailOnce.ARMED).isFalse();
        assertThat(LastValue.LAST.get())
                .isEqualTo(
                        expected(events).stream()
                                .mapToLong(NexmarkSourceITCase::fingerprint)
                                .sum());
    }

    private static StreamExecutionEnvironment environment(
            int parallelism, Map<String, String> settings) {
        StreamExecutionEnvironment flink =
                StreamExecutionEnvironment.getExecutionEnvironment(Configuration.fromMap(settings));
        flink.setParallelism(parallelism);
        return flink;
    }

    private static DataStream<RowData> source(
            StreamExecutionEnvironment flink, long events, double eventsPerSecond) {
        RowType type = (RowType) EventRows.type().getLogicalType();
        return flink.fromSource(
                        new NexmarkSource(SETTINGS, events, eventsPerSecond, Optional.empty()),
                        WatermarkStrategy.noWatermarks(),
                        "nexmark",
                        InternalTypeInfo.of(type))
                .uid("nexmark");
    }

    private static List<String> expected(long events) {
        NexmarkGenerator generator = new NexmarkGenerator(SETTINGS);
        return LongStream.range(0, events)
                .mapToObj(position -> EventRows.toRow(generator.event(position)).toString())
                .toList();
    }

    private static long fingerprint(String row) {
        return row.hashCode() * 0x9E3779B97F4A7C15L;
    }

    /** Strings that arrived in this JVM. */
    private static final class Collected {
        private static final Map<Integer, Collected> ALL = new ConcurrentHashMap<>();

        private final ConcurrentLinkedQueue<String> values = new ConcurrentLinkedQueue<>();
        private final CountDownLatch enough;
        private final int id = ALL.size();

        private Collected(int enough) {
            this.enough = new CountDownLatch(enough);
            ALL.put(id, this);
        }

        private void awaitEnough() throws InterruptedException {
            assertThat(enough.await(Duration.ofMinutes(2).toSeconds(), TimeUnit.SECONDS))
                    .as("enough events came")
                    .isTrue();
        }

        private List<String> values() {
            return List.copyOf(values);
        }

        private Sink<String> sink() {
            return new IntoCollected(id);
        }

        private record IntoCollected(int id) implements Sink<String> {
            private static final long serialVersionUID = 1L;

            @Override
            public SinkWriter<String> createWriter(WriterInitContext context) {
                Collected target = ALL.get(id);
                return new SinkWriter<>() {
                    @Override
                    public void write(String value, Context ignored) {
                        target.values.add(value);
                        target.enough.countDown();
                    }

                    @Override
                    public void flush(boolean endOfInput) {}

                    @Override
                    public void close() {}
                };
            }
        }
    }

    /** Fails when the first checkpoint is complete. */
    private static final class FailOnce
            implements MapFunction<RowData, RowData>, CheckpointListener, Serializable {
        private static final long serialVersionUID = 1L;
        private static final AtomicBoolean ARMED = new AtomicBoolean();

        @Override
        public RowData map(RowData row) {
            return row;
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            if (ARMED.compareAndSet(true, false)) {
                throw new IllegalStateException("failing as planned");
            }
        }
    }

    /** Keeps what came last. */
    private static final class LastValue implements MapFunction<Long, Long> {
        private static final long serialVersionUID = 1L;
        private static final AtomicLong LAST = new AtomicLong();

        @Override
        public Long map(Long value) {
            LAST.set(value);
            return value;
        }
    }
}
