package io.streamfusion.sql.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.plan.proto.AggregateCall;
import io.streamfusion.plan.proto.GroupAggregate;
import io.streamfusion.plan.proto.Operator;
import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.plan.TypeEncoder;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A native group aggregate and the stock one in whose place it runs do the same. */
@ExtendWith(NoNativeLeaks.class)
@SuppressWarnings("try") // harnesses can be interrupted
class GroupAggregateParityTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long TTL = 10_000;
    private static final BatchSettings SMALL =
            new BatchSettings(7, 1 << 20, 0, BatchSettings.defaults().memoryBytes());

    /** A query over T(k STRING, c INT, v BIGINT). */
    private enum Query {
        /** As Nexmark's q17. */
        FILTERS(
                "SELECT k, COUNT(*), COUNT(*) FILTER (WHERE c < 3), MIN(v), MAX(v), AVG(v), SUM(v)"
                        + " FROM T GROUP BY k",
                false),
        /** As Nexmark's q15 and q16. */
        DISTINCT(
                "SELECT k, COUNT(*), COUNT(DISTINCT v), COUNT(DISTINCT v) FILTER (WHERE c < 3),"
                        + " COUNT(DISTINCT c) FROM T GROUP BY k",
                false),
        TIME_TO_LIVE("SELECT k, COUNT(*), SUM(v), COUNT(DISTINCT c) FROM T GROUP BY k", false),
        /** The second aggregate, whose input retracts. */
        RETRACTING(
                "SELECT m, COUNT(*), SUM(n), COUNT(DISTINCT n) FROM"
                        + " (SELECT MAX(c) AS m, COUNT(*) AS n FROM T GROUP BY k) GROUP BY m",
                true);

        private final String query;
        private final boolean retracts;

        Query(String query, boolean retracts) {
            this.query = query;
            this.retracts = retracts;
        }

        OneInputTransformation<RowData, RowData> stock() {
            Configuration config = new Configuration();
            if (this == TIME_TO_LIVE) {
                config.setString("table.exec.state.ttl", TTL + " ms");
            }
            return StockPlan.groupAggregate("k STRING, c INT, v BIGINT", query, config);
        }

        /** Written by hand, as the planner's is a module that needs this one. */
        NativeOperatorFactory factory(OneInputTransformation<RowData, RowData> stock) {
            RowType input = StockPlan.inputOf(stock);
            RowType output = StockPlan.outputOf(stock);
            GroupAggregate.Builder plan =
                    GroupAggregate.newBuilder()
                            .setInput(TypeEncoder.encode(input))
                            .setOutput(TypeEncoder.encode(output))
                            .addGrouping(0)
                            .setGenerateUpdateBefore(true)
                            .setNeedsRetraction(retracts)
                            .setRecordCounter(-1)
                            .setStateTtlMillis(this == TIME_TO_LIVE ? TTL : 0);
            List<Call> calls = calls(input);
            for (int i = 0; i < calls.size(); i++) {
                plan.addCalls(calls.get(i).encode(output, i + 1, retracts));
            }
            byte[] operator =
                    Operator.newBuilder()
                            .setDescription(name())
                            .setGroupAggregate(plan)
                            .build()
                            .toByteArray();
            return new NativeOperatorFactory(
                    operator,
                    input,
                    output,
                    Edge.ROWS,
                    Edge.ROWS,
                    SMALL,
                    StockStates.of(stock.getOperatorFactory()));
        }

        private List<Call> calls(RowType input) {
            int c = input.getFieldIndex("c");
            int v = input.getFieldIndex("v");
            // The planner computes the filter's condition before the aggregate.
            int filter =
                    (int)
                            input.getFields().stream()
                                    .takeWhile(
                                            field ->
                                                    !field.getType()
                                                            .asSummaryString()
                                                            .startsWith("BOOLEAN"))
                                    .count();
            return switch (this) {
                case FILTERS ->
                        List.of(
                                new Call("COUNT"),
                                new Call("COUNT").filteredBy(filter),
                                new Call("MIN", v),
                                new Call("MAX", v),
                                new Call("AVG", v),
                                new Call("SUM", v));
                case DISTINCT ->
                        List.of(
                                new Call("COUNT"),
                                new Call("COUNT", v).ofDistinct(),
                                new Call("COUNT", v).ofDistinct().filteredBy(filter),
                                new Call("COUNT", c).ofDistinct());
                case TIME_TO_LIVE ->
                        List.of(
                                new Call("COUNT"),
                                new Call("SUM", v),
                                new Call("COUNT", c).ofDistinct());
                case RETRACTING ->
                        List.of(
                                new Call("COUNT"),
                                new Call("SUM", 1),
                                new Call("COUNT", 1).ofDistinct());
            };
        }

        List<RowData> rows(RowType input, int count, long seed) {
            Random random = new Random(seed);
            List<RowData> rows = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                rows.add(row(input, random));
            }
            return rows;
        }

        private RowData row(RowType input, Random random) {
            GenericRowData row = new GenericRowData(input.getFieldCount());
            for (int i = 0; i < input.getFieldCount(); i++) {
                boolean isNull = input.getTypeAt(i).isNullable() && random.nextInt(6) == 0;
                row.setField(i, isNull ? null : value(input, i, random));
            }
            if (retracts) {
                row.setRowKind(RowKind.fromByteValue((byte) random.nextInt(4)));
            }
            return row;
        }

        private static Object value(RowType input, int field, Random random) {
            return switch (input.getTypeAt(field).getTypeRoot()) {
                case VARCHAR -> StringData.fromString("k" + random.nextInt(9));
                case INTEGER -> random.nextInt(6);
                case BIGINT -> (long) random.nextInt(12);
                case BOOLEAN -> random.nextBoolean();
                default -> throw new IllegalArgumentException(input.toString());
            };
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Call(String function, int filter, boolean distinct, int... arguments) {
        Call(String function, int... arguments) {
            this(function, -1, false, arguments);
        }

        Call filteredBy(int column) {
            return new Call(function, column, distinct, arguments);
        }

        Call ofDistinct() {
            return new Call(function, filter, true, arguments);
        }

        AggregateCall encode(RowType output, int field, boolean retracts) {
            return AggregateCall.newBuilder()
                    .setFunction(function)
                    .addAllArguments(Arrays.stream(arguments).boxed().toList())
                    .setFilter(filter)
                    .setDistinct(distinct)
                    .setRetract(retracts)
                    .setType(TypeEncoder.encode(output.getTypeAt(field)))
                    .build();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsAreStocks(Query query) throws Exception {
        OneInputTransformation<RowData, RowData> stock = query.stock();
        RowType input = StockPlan.inputOf(stock);
        try (KeyedHarness expected =
                        open(stock, stock.getOperatorFactory(), new HashMapStateBackend());
                KeyedHarness actual = open(stock, query.factory(stock), ours())) {
            for (int round = 0; round < 6; round++) {
                List<RowData> rows = query.rows(input, 100, round);
                assertThat(actual.process(rows)).isEqualTo(expected.process(rows));
                long now = NOW + (round + 1) * TTL / 3;
                expected.setStateTtlProcessingTime(now);
                actual.setStateTtlProcessingTime(now);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void stocksSavepointGoesOnNatively(Query query) throws Exception {
        OneInputTransformation<RowData, RowData> stock = query.stock();
        crosses(
                query,
                stock,
                open(stock, stock.getOperatorFactory(), new EmbeddedRocksDBStateBackend()),
                state -> new KeyedHarness(stock, query.factory(stock), ours(), NOW, state));
    }

    @ParameterizedTest
    @EnumSource
    void nativeSavepointGoesOnWithStock(Query query) throws Exception {
        OneInputTransformation<RowData, RowData> stock = query.stock();
        crosses(
                query,
                stock,
                open(stock, query.factory(stock), ours()),
                state ->
                        new KeyedHarness(
                                stock,
                                stock.getOperatorFactory(),
                                new EmbeddedRocksDBStateBackend(),
                                NOW,
                                state));
    }

    private interface Restore {
        KeyedHarness from(OperatorSubtaskState state) throws Exception;
    }

    /** Halves of the rows by two operators are what one that is never interrupted makes of them. */
    private static void crosses(
            Query query,
            OneInputTransformation<RowData, RowData> stock,
            KeyedHarness first,
            Restore restore)
            throws Exception {
        RowType input = StockPlan.inputOf(stock);
        List<RowData> before = query.rows(input, 300, 1);
        List<RowData> after = query.rows(input, 300, 2);
        OperatorSubtaskState savepoint;
        try (first;
                KeyedHarness whole =
                        open(stock, stock.getOperatorFactory(), new HashMapStateBackend())) {
            assertThat(first.process(before)).isEqualTo(whole.process(before));
            savepoint = first.savepoint();
            List<BinaryRowData> expected = whole.process(after);
            try (KeyedHarness second = restore.from(savepoint)) {
                assertThat(second.process(after)).isEqualTo(expected);
            }
        }
    }

    /** Nothing runs almost right on another backend. */
    @Test
    void anotherBackendIsRefused() throws Exception {
        OneInputTransformation<RowData, RowData> stock = Query.FILTERS.stock();
        assertThatThrownBy(
                        () -> open(stock, Query.FILTERS.factory(stock), new HashMapStateBackend()))
                .hasMessageContaining("FILTERS")
                .hasMessageContaining("HeapKeyedStateBackend")
                .hasMessageContaining("streamfusion-memory")
                .hasMessageContaining("streamfusion.sql.enabled to false");
    }

    private static StateBackend ours() {
        return new StreamFusionMemoryStateBackend(true);
    }

    private static KeyedHarness open(
            OneInputTransformation<RowData, RowData> stock,
            StreamOperatorFactory<?> factory,
            StateBackend backend)
            throws Exception {
        return new KeyedHarness(stock, factory, backend, NOW, null);
    }
}
