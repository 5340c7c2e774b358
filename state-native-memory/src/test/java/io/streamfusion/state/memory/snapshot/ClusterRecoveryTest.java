package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.StreamFusionMemoryStateBackendFactory;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.test.util.MiniClusterWithClientResource;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A job on a cluster that fails again and again and still counts everything once. */
@ExtendWith(NoNativeLeaks.class)
public class ClusterRecoveryTest {
    private static final int PARALLELISM = 2;
    private static final int BATCHES = 15;
    private static final int BATCH = 500;
    private static final int KEYS = 50;

    @TempDir Path checkpoints;

    private record Setup(String name, Configuration configuration) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Setup> setups() {
        return Stream.of(
                setup("incremental", c -> {}),
                setup("full", c -> c.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, false)),
                setup(
                        "two at once",
                        c -> c.set(CheckpointingOptions.MAX_CONCURRENT_CHECKPOINTS, 2)),
                setup("unaligned", c -> c.set(CheckpointingOptions.ENABLE_UNALIGNED, true)),
                setup(
                        "local recovery",
                        c -> {
                            c.set(StateRecoveryOptions.LOCAL_RECOVERY, true);
                            c.set(CheckpointingOptions.LOCAL_BACKUP_ENABLED, true);
                        }),
                setup("file merging", c -> c.set(CheckpointingOptions.FILE_MERGING_ENABLED, true)),
                setup(
                        "changelog",
                        c -> {
                            c.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
                            c.set(StateChangelogOptions.STATE_CHANGE_LOG_STORAGE, "memory");
                            c.set(
                                    StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL,
                                    Duration.ofMillis(30));
                        }));
    }

    /** Fails unless the storage looks as that setup leaves it. */
    protected void assertStorage(String setup, Path storage) throws IOException {}

    /** Name of the class that makes the backend. */
    protected String factory() {
        return StreamFusionMemoryStateBackendFactory.class.getName();
    }

    private static Setup setup(String name, Consumer<Configuration> options) {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(128));
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20));
        configuration.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ZERO);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 10);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
        options.accept(configuration);
        return new Setup(name, configuration);
    }

    @BeforeEach
    void resetProgress() {
        Progress.reset();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("setups")
    void countsEverythingOnce(Setup setup) throws Exception {
        setup.configuration().set(StateBackendOptions.STATE_BACKEND, factory());
        setup.configuration()
                .set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        MiniClusterWithClientResource cluster =
                new MiniClusterWithClientResource(
                        new MiniClusterResourceConfiguration.Builder()
                                .setNumberTaskManagers(1)
                                .setNumberSlotsPerTaskManager(PARALLELISM)
                                .setConfiguration(setup.configuration())
                                .build());
        cluster.before();
        List<String> results;
        try {
            results = run(setup.configuration());
        } finally {
            cluster.after();
        }
        Collections.sort(results);
        assertThat(results).isEqualTo(expected());
        assertThat(Progress.failures()).as("failures").isEqualTo(Progress.FAILURES);
        assertStorage(setup.name(), checkpoints);
    }

    private static List<String> run(Configuration configuration) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(PARALLELISM);
        return new ArrayList<>(
                numbers(environment)
                        .keyBy(number -> number % KEYS)
                        .process(new CountEverything())
                        .executeAndCollect(2 * KEYS));
    }

    @SuppressWarnings("deprecation") // the source that a test can pace with a lock and a condition
    private static DataStream<Long> numbers(StreamExecutionEnvironment environment) {
        return environment.addSource(new PacedSource()).setParallelism(1);
    }

    private static List<String> expected() {
        List<String> rows = new ArrayList<>();
        long perKey = (long) BATCHES * BATCH / KEYS;
        for (long key = 0; key < KEYS; key++) {
            long sum = 0;
            for (long i = 0; i < perKey; i++) {
                sum += key + i * KEYS;
            }
            rows.add(key + " count " + perKey + " sum " + sum + " list " + perKey + " map 7");
        }
        Collections.sort(rows);
        return rows;
    }

    /** What source and operators know of each other; they run in one process. */
    private static final class Progress {
        private static final int FAILURES = 4;
        private static final Object CHECKPOINT_COMPLETED = new Object();
        private static final AtomicInteger FAILED = new AtomicInteger();
        private static long completed;

        static void reset() {
            synchronized (CHECKPOINT_COMPLETED) {
                completed = 0;
            }
            FAILED.set(0);
        }

        static int failures() {
            return FAILED.get();
        }

        static void completed() {
            synchronized (CHECKPOINT_COMPLETED) {
                completed++;
                CHECKPOINT_COMPLETED.notifyAll();
            }
        }

        static void awaitCheckpoint() throws InterruptedException {
            synchronized (CHECKPOINT_COMPLETED) {
                long seen = completed;
                while (completed == seen) {
                    CHECKPOINT_COMPLETED.wait();
                }
            }
        }

        /** Fails in the middle of every third batch, once each. */
        static void maybeFail(long number) {
            long batch = number / BATCH;
            int next = FAILED.get();
            if (next < FAILURES
                    && batch == 3L * (next + 1)
                    && number % BATCH > BATCH / 2
                    && FAILED.compareAndSet(next, next + 1)) {
                throw new IllegalStateException("The test fails the job in batch " + batch + ".");
            }
        }
    }

    /** Emits the numbers in batches with a completed checkpoint between any two. */
    @SuppressWarnings("deprecation")
    private static final class PacedSource
            implements SourceFunction<Long>, CheckpointedFunction, CheckpointListener {
        private static final long serialVersionUID = 1L;

        private volatile boolean running = true;
        private long next;
        private transient ListState<Long> position;

        @Override
        public void run(SourceContext<Long> out) throws Exception {
            while (running && next < (long) BATCHES * BATCH) {
                synchronized (out.getCheckpointLock()) {
                    long end = next + BATCH;
                    while (next < end) {
                        out.collect(next++);
                    }
                }
                Progress.awaitCheckpoint();
            }
        }

        @Override
        public void cancel() {
            running = false;
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            Progress.completed();
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            position.update(List.of(next));
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            position =
                    context.getOperatorStateStore()
                            .getListState(new ListStateDescriptor<>("position", Long.class));
            for (long restored : position.get()) {
                next = restored;
            }
        }
    }

    /** Keeps count, sum and all numbers of a key; reports when the input ends. */
    private static final class CountEverything extends KeyedProcessFunction<Long, Long, String> {
        private static final long serialVersionUID = 1L;

        private transient ValueState<Long> count;
        private transient MapState<Long, Long> sums;
        private transient ListState<Long> numbers;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
            sums =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("sums", Long.class, Long.class));
            numbers =
                    getRuntimeContext()
                            .getListState(new ListStateDescriptor<>("numbers", Long.class));
        }

        @Override
        public void processElement(Long number, Context context, Collector<String> out)
                throws Exception {
            Progress.maybeFail(number);
            Long counted = count.value();
            count.update(counted == null ? 1 : counted + 1);
            long part = number / KEYS % 7;
            Long sum = sums.get(part);
            sums.put(part, sum == null ? number : sum + number);
            numbers.add(number);
            context.timerService().registerEventTimeTimer(Long.MAX_VALUE - 1);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            long sum = 0;
            int parts = 0;
            for (long part : sums.values()) {
                sum += part;
                parts++;
            }
            int listed = 0;
            for (long number : numbers.get()) {
                listed += number % KEYS == context.getCurrentKey() ? 1 : 0;
            }
            out.collect(
                    context.getCurrentKey()
                            + " count "
                            + count.value()
                            + " sum "
                            + sum
                            + " list "
                            + listed
                            + " map "
                            + parts);
        }
    }
}
