package io.streamfusion.sql.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.plan.proto.AggregateCall;
import io.streamfusion.plan.proto.GroupAggregate;
import io.streamfusion.plan.proto.Operator;
import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.exchange.NativeChannelPartitioner;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.plan.TypeEncoder;
import io.streamfusion.sql.testing.TestPlans;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
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
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two tasks send batches to three that count by key natively; one of them fails in the middle. */
@ExtendWith(NoNativeLeaks.class)
class KeyedJobTest {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(3)
                            .build());

    private static final long RECORDS = 6000;
    private static final int KEYS = 70;
    private static final int MAX_PARALLELISM = 90;
    private static final AtomicInteger FAILURES = new AtomicInteger();

    @Test
    @SuppressWarnings("try") // Flink's results can be interrupted
    void eachRowIsCountedOnce() throws Exception {
        FAILURES.set(0);
        Configuration config = new Configuration();
        config.setString(
                "state.backend.type",
                "io.streamfusion.state.memory.StreamFusionMemoryStateBackendFactory");
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        env.setMaxParallelism(MAX_PARALLELISM);
        env.enableCheckpointing(50);

        Map<String, List<String>> changes = new TreeMap<>();
        try (CloseableIterator<String> results = job(env).executeAndCollect()) {
            results.forEachRemaining(
                    change -> {
                        String[] parts = change.split(" ", -1);
                        changes.computeIfAbsent(parts[0], none -> new ArrayList<>()).add(parts[1]);
                    });
        }
        assertThat(FAILURES).as("the job has failed in the middle").hasValue(1);
        assertThat(changes).hasSize(KEYS);
        for (int key = 0; key < KEYS; key++) {
            assertThat(changes.get("k" + key)).isEqualTo(changesOf(key));
        }
    }

    private static List<String> changesOf(int key) {
        long count = RECORDS / KEYS + (key < RECORDS % KEYS ? 1 : 0);
        List<String> changes = new ArrayList<>(List.of("INSERT:1"));
        for (long i = 2; i <= count; i++) {
            changes.add("UPDATE_BEFORE:" + (i - 1));
            changes.add("UPDATE_AFTER:" + i);
        }
        return changes;
    }

    private static DataStream<String> job(StreamExecutionEnvironment env) {
        OneInputTransformation<RowData, RowData> stock =
                StockPlan.groupAggregate(
                        "k STRING", "SELECT k, COUNT(*) FROM T GROUP BY k", new Configuration());
        RowType input = StockPlan.inputOf(stock);
        RowType output = StockPlan.outputOf(stock);
        GeneratorFunction<Long, RowData> rows =
                i -> GenericRowData.of(StringData.fromString("k" + i % KEYS));
        DataStream<RowData> source =
                env.fromSource(
                                new DataGeneratorSource<>(
                                        rows,
                                        RECORDS,
                                        RateLimiterStrategy.perCheckpoint(600),
                                        InternalTypeInfo.of(input)),
                                WatermarkStrategy.noWatermarks(),
                                "keys")
                        .setParallelism(2);
        Transformation<Object> batches =
                new OneInputTransformation<RowData, Object>(
                        source.getTransformation(),
                        "to batches",
                        KeyedJobTest.<Object>same(input),
                        new NativeBatchTypeInfo(input),
                        2);
        PartitionTransformation<Object> exchange =
                new PartitionTransformation<>(
                        batches,
                        NativeChannelPartitioner.of(
                                new KeyGroupStreamPartitioner<>(
                                        stock.getStateKeySelector(), MAX_PARALLELISM),
                                input,
                                new int[] {0}));
        OneInputTransformation<Object, RowData> counts =
                new OneInputTransformation<>(
                        exchange,
                        "count",
                        KeyedJobTest.<RowData>count(stock, input, output),
                        InternalTypeInfo.of(output),
                        3);
        counts.setStateKeySelector(keySelector(stock));
        counts.setStateKeyType(stock.getStateKeyType());
        env.addOperator(counts);
        return new DataStream<>(env, counts)
                .map(new Printer())
                .returns(Types.STRING)
                .setParallelism(3);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // as the planner does it
    private static KeySelector<Object, ?> keySelector(
            OneInputTransformation<RowData, RowData> stock) {
        return (KeySelector) stock.getStateKeySelector();
    }

    @SuppressWarnings("unchecked") // rows and batches are objects to Flink
    private static <T> StreamOperatorFactory<T> same(RowType row) {
        return (StreamOperatorFactory<T>)
                new NativeOperatorFactory(
                        TestPlans.identity(row),
                        row,
                        row,
                        Edge.ROWS,
                        Edge.BATCHES,
                        BatchSettings.defaults());
    }

    @SuppressWarnings("unchecked")
    private static <T> StreamOperatorFactory<T> count(
            OneInputTransformation<RowData, RowData> stock, RowType input, RowType output) {
        GroupAggregate aggregate =
                GroupAggregate.newBuilder()
                        .setInput(TypeEncoder.encode(input))
                        .setOutput(TypeEncoder.encode(output))
                        .addGrouping(0)
                        .setGenerateUpdateBefore(true)
                        .setRecordCounter(-1)
                        .addCalls(
                                AggregateCall.newBuilder()
                                        .setFunction("COUNT")
                                        .setFilter(-1)
                                        .setType(TypeEncoder.encode(output.getTypeAt(1))))
                        .build();
        byte[] plan =
                Operator.newBuilder()
                        .setDescription("count")
                        .setGroupAggregate(aggregate)
                        .build()
                        .toByteArray();
        return (StreamOperatorFactory<T>)
                new NativeOperatorFactory(
                        plan,
                        input,
                        output,
                        Edge.BATCHES,
                        Edge.ROWS,
                        BatchSettings.defaults(),
                        StockStates.of(stock.getOperatorFactory()));
    }

    /** Makes rows text; fails once, behind the second checkpoint. */
    private static final class Printer extends RichMapFunction<RowData, String>
            implements CheckpointListener {
        private static final long serialVersionUID = 1L;

        @Override
        public String map(RowData row) {
            return row.getString(0) + " " + row.getRowKind() + ":" + row.getLong(1);
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
