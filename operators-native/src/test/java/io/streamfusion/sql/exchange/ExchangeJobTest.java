package io.streamfusion.sql.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.runtime.NativeBatchTypeInfo;
import io.streamfusion.sql.runtime.NativeOperatorFactory;
import io.streamfusion.sql.testing.TestPlans;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two tasks split their batches for three, one of which fails in the middle. */
@ExtendWith(NoNativeLeaks.class)
class ExchangeJobTest {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(2)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final long RECORDS = 6000;
    private static final int KEYS = 700;
    private static final int MAX_PARALLELISM = 90;
    private static final RowType ROW =
            RowType.of(new BigIntType(), new VarCharType(VarCharType.MAX_LENGTH));
    private static final int[] KEY = {1};
    private static final AtomicInteger FAILURES = new AtomicInteger();

    @Test
    @SuppressWarnings("try") // Flink's results can be interrupted
    void rowsArriveOnceAndAtTheirKeysTask() throws Exception {
        FAILURES.set(0);
        Configuration config = new Configuration();
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY,
                java.time.Duration.ofMillis(1));
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        env.setMaxParallelism(MAX_PARALLELISM);
        env.enableCheckpointing(50);
        env.getCheckpointConfig().enableUnalignedCheckpoints();

        List<Long> arrived = new ArrayList<>();
        try (CloseableIterator<Long> results = job(env).executeAndCollect()) {
            results.forEachRemaining(arrived::add);
        }
        assertThat(FAILURES).as("the job has failed in the middle").hasValue(1);
        assertThat(arrived)
                .containsExactlyInAnyOrderElementsOf(LongStream.range(0, RECORDS).boxed().toList());
    }

    private static DataStream<Long> job(StreamExecutionEnvironment env) {
        GeneratorFunction<Long, RowData> rows =
                i -> GenericRowData.of(i, StringData.fromString("key " + i % KEYS));
        DataStream<RowData> source =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        rows,
                                        RECORDS,
                                        RateLimiterStrategy.perCheckpoint(600),
                                        InternalTypeInfo.of(ROW)),
                                WatermarkStrategy.noWatermarks(),
                                "numbers")
                        .setParallelism(2);
        Transformation<Object> batches =
                new OneInputTransformation<RowData, Object>(
                        source.getTransformation(),
                        "to batches",
                        factory(Edge.ROWS, Edge.BATCHES),
                        new NativeBatchTypeInfo(ROW),
                        2);
        PartitionTransformation<Object> exchange =
                new PartitionTransformation<>(
                        batches,
                        NativeChannelPartitioner.of(
                                new KeyGroupStreamPartitioner<RowData, RowData>(
                                        ExchangeJobTest::keyOf, MAX_PARALLELISM),
                                ROW,
                                KEY));
        OneInputTransformation<Object, RowData> back =
                new OneInputTransformation<>(
                        exchange,
                        "to rows",
                        factory(Edge.BATCHES, Edge.ROWS),
                        InternalTypeInfo.of(ROW),
                        3);
        env.addOperator(back);
        return new DataStream<>(env, back).map(new Judge()).returns(Types.LONG).setParallelism(3);
    }

    private static RowData keyOf(RowData row) {
        BinaryRowData key = new BinaryRowData(1);
        BinaryRowWriter writer = new BinaryRowWriter(key);
        writer.writeString(0, row.getString(1));
        writer.complete();
        return key;
    }

    @SuppressWarnings("unchecked") // as the planner does it: rows and batches are objects to Flink
    private static <T> StreamOperatorFactory<T> factory(Edge in, Edge out) {
        return (StreamOperatorFactory<T>)
                new NativeOperatorFactory(
                        TestPlans.identity(ROW), ROW, ROW, in, out, BatchSettings.defaults());
    }

    /** Sees whether a row's key belongs to its task; fails once, behind the second checkpoint. */
    private static final class Judge extends RichMapFunction<RowData, Long>
            implements CheckpointListener {
        private static final long serialVersionUID = 1L;

        @Override
        public Long map(RowData row) {
            int expected =
                    KeyGroupRangeAssignment.assignKeyToParallelOperator(
                            keyOf(row), MAX_PARALLELISM, 3);
            int task = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            if (task != expected) {
                throw new AssertionError(row + " at task " + task + " instead of " + expected);
            }
            return row.getLong(0);
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            if (checkpointId >= 2
                    && getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 1
                    && FAILURES.compareAndSet(0, 1)) {
                throw new IllegalStateException("fails once, as the test wants");
            }
        }
    }
}
