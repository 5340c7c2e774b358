package io.streamfusion.sql.exchange;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import io.streamfusion.sql.runtime.StockPlan;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.runtime.partitioner.GlobalPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.RebalancePartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows go where stock Flink's exchange sends them. */
@ExtendWith(NoNativeLeaks.class)
class ExchangeOutputTest {
    private static final long BUDGET = 64 << 20;

    /** What stock Flink has of an aggregate by random keys. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Stock(RowType type, int[] keys, KeySelector<RowData, Object> selector) {
        @SuppressWarnings("unchecked")
        static Stock of(RandomRows random) {
            RowType table = random.type(6);
            int[] grouped = random.someFields(table);
            List<String> names = table.getFieldNames();
            String columns =
                    IntStream.range(0, table.getFieldCount())
                            .mapToObj(
                                    i ->
                                            names.get(i)
                                                    + " "
                                                    + table.getTypeAt(i).asSerializableString())
                            .collect(joining(", "));
            String counts =
                    names.stream().map(name -> "COUNT(" + name + ")").collect(joining(", "));
            List<String> keys = IntStream.of(grouped).mapToObj(names::get).toList();
            OneInputTransformation<RowData, RowData> operator =
                    StockPlan.groupAggregate(
                            columns,
                            "SELECT " + counts + " FROM T GROUP BY " + String.join(", ", keys),
                            new Configuration());
            RowType input = StockPlan.inputOf(operator);
            int[] positions =
                    IntStream.range(0, input.getFieldCount())
                            .filter(i -> keys.contains(input.getFieldNames().get(i)))
                            .toArray();
            return new Stock(
                    input,
                    positions,
                    (KeySelector<RowData, Object>) operator.getStateKeySelector());
        }

        NativeChannelPartitioner partitioner() {
            return (NativeChannelPartitioner)
                    NativeChannelPartitioner.of(
                            new KeyGroupStreamPartitioner<>(selector, 128), type, keys);
        }

        Map<Integer, List<RowData>> split(List<RowData> rows, int maxParallelism, int channels)
                throws Exception {
            Map<Integer, List<RowData>> split = new TreeMap<>();
            for (RowData row : rows) {
                int channel =
                        KeyGroupRangeAssignment.assignKeyToParallelOperator(
                                selector.getKey(row), maxParallelism, channels);
                split.computeIfAbsent(channel, none -> new ArrayList<>()).add(row);
            }
            return split;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void rowsGoToStocksChannelInTheirOrder(long seed) throws Exception {
        RandomRows random = new RandomRows(seed);
        Stock stock = Stock.of(random);
        try (NativeBudget budget = NativeBudget.create(BUDGET, "");
                Batches batches = new Batches(budget, stock.type())) {
            for (int channels : new int[] {1, 2, 3, 7}) {
                int maxParallelism = channels == 7 ? 7 : 128 + channels;
                try (ExchangeOutput exchange =
                        ExchangeOutput.of(stock.partitioner(), budget, maxParallelism, channels)) {
                    for (int size : new int[] {1, 2, 40, 300}) {
                        List<RowData> rows = random.rows(stock.type(), size);
                        Map<Integer, List<BinaryRowData>> expected = new TreeMap<>();
                        stock.split(rows, maxParallelism, channels)
                                .forEach((c, part) -> expected.put(c, batches.binary(part)));
                        assertThat(split(exchange, batches, rows)).isEqualTo(expected);
                    }
                }
            }
        }
    }

    private static Map<Integer, List<BinaryRowData>> split(
            ExchangeOutput exchange, Batches batches, List<RowData> rows) {
        Map<Integer, List<BinaryRowData>> split = new TreeMap<>();
        try (NativeBatch batch = batches.of(rows)) {
            int records =
                    exchange.emit(
                            batch,
                            piece -> {
                                assertThat(piece.isLent()).isTrue();
                                split.put(piece.channel(), batches.rowsOf(piece.batch()));
                            });
            assertThat(records).isEqualTo(split.size());
        }
        return split;
    }

    /** Nothing stays behind when the network fails in the middle. */
    @Test
    void piecesAreFreedWhenTheOutputFails() {
        RandomRows random = new RandomRows(11);
        Stock stock = Stock.of(random);
        try (NativeBudget budget = NativeBudget.create(BUDGET, "");
                Batches batches = new Batches(budget, stock.type());
                ExchangeOutput exchange = ExchangeOutput.of(stock.partitioner(), budget, 128, 5);
                NativeBatch batch = batches.of(random.rows(stock.type(), 200))) {
            assertThatThrownBy(
                            () ->
                                    exchange.emit(
                                            batch,
                                            piece -> {
                                                throw new IllegalStateException("cancelled");
                                            }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("cancelled");
        }
    }

    @Test
    void partitionerIsStocksToFlink() {
        RowType type = new RandomRows(1).type(3);
        KeyGroupStreamPartitioner<RowData, Integer> stock =
                new KeyGroupStreamPartitioner<>(row -> 1, 77);
        StreamPartitioner<Object> ours = NativeChannelPartitioner.of(stock, type, new int[] {0});
        assertThat(ours).hasToString(stock.toString());
        assertThat(ours.isPointwise()).isEqualTo(stock.isPointwise());
        assertThat(ours.isBroadcast()).isEqualTo(stock.isBroadcast());
        assertThat(ours.getDownstreamSubtaskStateMapper())
                .isEqualTo(stock.getDownstreamSubtaskStateMapper());
        assertThat(ours.getUpstreamSubtaskStateMapper())
                .isEqualTo(stock.getUpstreamSubtaskStateMapper());
        assertThat(ours.isSupportsUnalignedCheckpoint()).isFalse();
        assertThat(((NativeChannelPartitioner) ours).maxParallelism()).isEqualTo(77);
    }

    @Test
    void partitionerTakesTheTagAndNothingBeyondItsChannels() {
        RandomRows random = new RandomRows(3);
        RowType type = random.type(3);
        StreamPartitioner<Object> ours =
                NativeChannelPartitioner.of(
                        new KeyGroupStreamPartitioner<RowData, Integer>(row -> 1, 128),
                        type,
                        new int[] {0});
        ours.setup(3);
        try (NativeBudget budget = NativeBudget.create(BUDGET, "");
                Batches batches = new Batches(budget, type);
                NativeBatch batch = batches.of(random.rows(type, 1))) {
            SerializationDelegate<StreamRecord<Object>> delegate =
                    new SerializationDelegate<>(null);
            delegate.setInstance(new StreamRecord<>(NativeBatchRecord.lendTo(2, batch)));
            assertThat(ours.selectChannel(delegate)).isEqualTo(2);
            delegate.setInstance(new StreamRecord<>(NativeBatchRecord.lend(batch)));
            assertThatThrownBy(() -> ours.selectChannel(delegate))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("channel -1 of 3");
        }
    }

    @Test
    void edgesToOneTaskAreNotSplit() {
        RowType type = new RandomRows(1).type(3);
        GlobalPartitioner<RowData> stock = new GlobalPartitioner<>();
        StreamPartitioner<Object> ours = NativeChannelPartitioner.of(stock, type, new int[0]);
        assertThat(ours).isInstanceOf(GlobalPartitioner.class).isNotSameAs(stock);
        assertThat(ours.isSupportsUnalignedCheckpoint()).isFalse();
        assertThat(stock.isSupportsUnalignedCheckpoint()).isTrue();
        assertThatThrownBy(
                        () ->
                                NativeChannelPartitioner.of(
                                        new RebalancePartitioner<RowData>(), type, new int[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("REBALANCE");
    }
}
