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
import java.util.List;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A native operator with keyed state: registered as stock registers it, kept by the backend. */
@ExtendWith(NoNativeLeaks.class)
@SuppressWarnings("try") // what may be interrupted is Flink's
class NativeKeyedOperatorTest {
    private static final RowType INPUT =
            RowType.of(
                    new LogicalType[] {VarCharType.STRING_TYPE, new BigIntType()},
                    new String[] {"k", "v"});
    private static final RowType OUTPUT =
            RowType.of(
                    new LogicalType[] {
                        VarCharType.STRING_TYPE, new BigIntType(false), new BigIntType()
                    },
                    new String[] {"k", "n", "s"});

    private static final BatchSettings SETTINGS = new BatchSettings(1000, 1 << 20, 0, 1 << 24);

    @Test
    void stateLivesOnInACheckpoint() throws Exception {
        OperatorSubtaskState checkpoint;
        try (var harness = harness(new StreamFusionMemoryStateBackend())) {
            harness.open();
            harness.processElement(record("a", 5));
            harness.processElement(record("b", 7));
            harness.processElement(record("a", 1));
            harness.prepareSnapshotPreBarrier(1);
            assertThat(rows(harness))
                    .containsExactly(
                            row(RowKind.INSERT, "a", 1, 5),
                            row(RowKind.INSERT, "b", 1, 7),
                            row(RowKind.UPDATE_BEFORE, "a", 1, 5),
                            row(RowKind.UPDATE_AFTER, "a", 2, 6));
            checkpoint = harness.snapshot(1, 1);
        }
        try (var harness = harness(new StreamFusionMemoryStateBackend())) {
            harness.initializeState(checkpoint);
            harness.open();
            harness.processElement(record("b", 3));
            harness.endInput();
            assertThat(rows(harness))
                    .containsExactly(
                            row(RowKind.UPDATE_BEFORE, "b", 1, 7),
                            row(RowKind.UPDATE_AFTER, "b", 2, 10));
        }
    }

    @Test
    void anotherBackendIsRefused() throws Exception {
        var harness = harness(new HashMapStateBackend());
        assertThatThrownBy(harness::open)
                .hasMessageContaining("state.backend.type")
                .hasMessageContaining("GroupAggregate");
        harness.getOperator().close();
        harness.getEnvironment().close();
    }

    private static KeyedOneInputStreamOperatorTestHarness<RowData, Object, Object> harness(
            StateBackend backend) throws Exception {
        GroupAggregate.Builder aggregate =
                GroupAggregate.newBuilder()
                        .setInput(TypeEncoder.encode(INPUT))
                        .setOutput(TypeEncoder.encode(OUTPUT))
                        .addGrouping(0)
                        .setPhase(GroupAggregate.Phase.SINGLE)
                        .setGenerateUpdateBefore(true)
                        .setRecordCounter(-1)
                        .addCalls(
                                AggregateCall.newBuilder()
                                        .setFunction("COUNT")
                                        .setFilter(-1)
                                        .setType(TypeEncoder.encode(OUTPUT.getTypeAt(1))))
                        .addCalls(
                                AggregateCall.newBuilder()
                                        .setFunction("SUM")
                                        .addArguments(1)
                                        .setFilter(-1)
                                        .setType(TypeEncoder.encode(OUTPUT.getTypeAt(2))));
        byte[] plan =
                Operator.newBuilder()
                        .setDescription("GroupAggregate(groupBy=[k])")
                        .setGroupAggregate(aggregate)
                        .build()
                        .toByteArray();
        StockStates states =
                StockStates.of(
                        SimpleOperatorFactory.of(
                                new KeyedProcessOperator<>(new AccumulatorState())));
        NativeOperatorFactory factory =
                new NativeOperatorFactory(
                        plan, INPUT, OUTPUT, Edge.ROWS, Edge.ROWS, SETTINGS, states);
        KeySelector<Object, RowData> key = row -> key(((RowData) row).getString(0));
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<RowData, Object, Object>(
                        factory, key, InternalTypeInfo.ofFields(VarCharType.STRING_TYPE), 8, 1, 0);
        harness.setStateBackend(backend);
        harness.setup(serializer());
        return harness;
    }

    /** The state of stock's function for this query. */
    private static final class AccumulatorState
            extends KeyedProcessFunction<RowData, RowData, RowData> {
        private static final long serialVersionUID = 1L;

        @Override
        public void open(OpenContext context) {
            getRuntimeContext()
                    .getState(
                            new ValueStateDescriptor<>(
                                    "accState",
                                    InternalTypeInfo.ofFields(new BigIntType(), new BigIntType())));
        }

        @Override
        public void processElement(RowData row, Context context, Collector<RowData> out) {
            throw new AssertionError("only its states are wanted");
        }
    }

    private static RowData key(StringData value) {
        BinaryRowData row = new BinaryRowData(1);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeString(0, value);
        writer.complete();
        return row;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static TypeSerializer<Object> serializer() {
        return (TypeSerializer) new RowDataSerializer(OUTPUT);
    }

    private static StreamRecord<Object> record(String key, long value) {
        return new StreamRecord<>(GenericRowData.of(StringData.fromString(key), value));
    }

    private static RowData row(RowKind kind, String key, long count, long sum) {
        GenericRowData row = GenericRowData.of(StringData.fromString(key), count, sum);
        row.setRowKind(kind);
        return new RowDataSerializer(OUTPUT).toBinaryRow(row);
    }

    private static List<Object> rows(
            KeyedOneInputStreamOperatorTestHarness<RowData, Object, Object> harness) {
        List<Object> rows = new ArrayList<>();
        for (Object element : harness.getOutput()) {
            rows.add(((StreamRecord<?>) element).getValue());
        }
        return rows;
    }
}
