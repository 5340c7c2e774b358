package io.streamfusion.sql.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeException;
import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.edge.RowBatcher;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.testing.TestPlans;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a native operator emits, when, and in which order. */
@ExtendWith(NoNativeLeaks.class)
@SuppressWarnings("try") // what may be interrupted is Flink's
class NativeOneInputOperatorTest {
    private static final RowType TYPE =
            RowType.of(
                    new LogicalType[] {new BigIntType(), VarCharType.STRING_TYPE},
                    new String[] {"id", "name"});

    private static final BatchSettings SETTINGS = new BatchSettings(3, 1 << 20, 50, 1 << 24);

    @Test
    void rowsWaitUntilTheBatchIsFull() throws Exception {
        try (var harness = rowsToRows(SETTINGS)) {
            harness.processElement(record(1));
            harness.processElement(record(2));
            assertThat(harness.getOutput()).isEmpty();
            harness.processElement(record(3));
            assertThat(rows(harness)).containsExactly(row(1), row(2), row(3));
        }
    }

    @Test
    void bytesFillABatch() throws Exception {
        try (var harness = rowsToRows(new BatchSettings(1000, 100, 0, 1 << 24))) {
            harness.processElement(record(1));
            harness.processElement(record(2));
            assertThat(harness.getOutput()).isEmpty();
            harness.processElement(record(3));
            harness.processElement(record(4));
            assertThat(rows(harness)).contains(row(1), row(2), row(3));
        }
    }

    @Test
    void noRowWaitsLongerThanTheTimeout() throws Exception {
        try (var harness = rowsToRows(SETTINGS)) {
            harness.setProcessingTime(1000);
            harness.processElement(record(1));
            harness.setProcessingTime(1049);
            assertThat(harness.getOutput()).isEmpty();
            harness.setProcessingTime(1050);
            assertThat(rows(harness)).containsExactly(row(1));
            harness.processElement(record(2));
            harness.setProcessingTime(1099);
            assertThat(rows(harness)).containsExactly(row(1));
            harness.setProcessingTime(1100);
            assertThat(rows(harness)).containsExactly(row(1), row(2));
        }
    }

    @Test
    void nothingOvertakesRows() throws Exception {
        LatencyMarker marker = new LatencyMarker(5, new OperatorID(), 0);
        try (var harness = rowsToRows(SETTINGS)) {
            harness.processElement(record(1));
            harness.processWatermark(new Watermark(10));
            harness.processElement(record(2));
            ((NativeOneInputOperator) harness.getOperator()).processLatencyMarker(marker);
            harness.processElement(record(3));
            harness.processWatermarkStatus(WatermarkStatus.IDLE);
            assertThat(harness.getOutput().toArray())
                    .containsExactly(
                            new StreamRecord<>(row(1)),
                            new Watermark(10),
                            new StreamRecord<>(row(2)),
                            marker,
                            new StreamRecord<>(row(3)),
                            WatermarkStatus.IDLE);
        }
    }

    @Test
    void rowsGoOutBeforeABarrierAndAtTheEnd() throws Exception {
        try (var harness = rowsToRows(SETTINGS)) {
            harness.processElement(record(1));
            harness.prepareSnapshotPreBarrier(1);
            assertThat(rows(harness)).containsExactly(row(1));
            harness.processElement(record(2));
            harness.endInput();
            assertThat(rows(harness)).containsExactly(row(1), row(2));
        }
    }

    @Test
    void rowsThatWaitAtAFailureAreGone() throws Exception {
        var harness = rowsToRows(SETTINGS);
        harness.processElement(record(1));
        harness.getOperator().close();
        assertThat(harness.getOutput()).isEmpty();
    }

    @Test
    void kindsAreKept() throws Exception {
        try (var harness = rowsToRows(SETTINGS)) {
            List<RowData> rows = new ArrayList<>();
            for (RowKind kind : RowKind.values()) {
                RowData row = row(kind.toByteValue());
                row.setRowKind(kind);
                rows.add(row);
                harness.processElement(new StreamRecord<>(row));
            }
            harness.endInput();
            assertThat(rows(harness)).isEqualTo(rows);
        }
    }

    @Test
    void aBatchIsLentAndThenFreed() throws Exception {
        var factory =
                new NativeOperatorFactory(
                        TestPlans.identity(TYPE), TYPE, TYPE, Edge.ROWS, Edge.BATCHES, SETTINGS);
        try (var harness = new OneInputStreamOperatorTestHarness<Object, Object>(factory)) {
            harness.setup(new NativeBatchSerializer(TYPE));
            harness.open();
            for (int i = 0; i < 3; i++) {
                harness.processElement(record(i));
            }
            NativeBatchRecord batch = (NativeBatchRecord) onlyRecord(harness).getValue();
            assertThat(batch.rows()).isEqualTo(3);
            assertThat(batch.batch().isClosed()).isTrue();
            assertThatThrownBy(batch::take)
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.kind()).isEqualTo(NativeException.Kind.CLOSED));
            assertThat(numRecordsOut(harness)).isEqualTo(2);
        }
    }

    @Test
    void aBatchIsProcessedWhenItComesUnlessFromTheNetwork() throws Exception {
        var factory =
                new NativeOperatorFactory(
                        TestPlans.identity(TYPE), TYPE, TYPE, Edge.BATCHES, Edge.ROWS, SETTINGS);
        try (BatchMemory memory = BatchMemory.open(SETTINGS);
                RowBatcher batcher = new RowBatcher(memory.budget(), TYPE, "test");
                var harness = new OneInputStreamOperatorTestHarness<Object, Object>(factory)) {
            harness.setup(serializer());
            harness.open();
            batcher.add(row(1));
            batcher.add(row(2));
            try (NativeBatch batch = batcher.take()) {
                harness.processElement(new StreamRecord<>(NativeBatchRecord.lend(batch)));
                assertThat(batch.isClosed()).isFalse();
            }
            assertThat(rows(harness)).containsExactly(row(1), row(2));
            batcher.add(row(3));
            NativeBatch given = batcher.take();
            harness.processElement(new StreamRecord<>(NativeBatchRecord.give(given)));
            assertThat(rows(harness)).as("waits for more from the network").hasSize(2);
            harness.prepareSnapshotPreBarrier(1);
            assertThat(given.isClosed()).isTrue();
            assertThat(rows(harness)).containsExactly(row(1), row(2), row(3));
        }
    }

    @Test
    void aRowThatDoesNotFitFailsTheTask() throws Exception {
        var harness = rowsToRows(new BatchSettings(1000, 1 << 20, 0, 4_000));
        assertThatThrownBy(() -> harness.processElement(record(1)))
                .isInstanceOf(NativeOperatorException.class)
                .hasMessageContaining("streamfusion.sql.batch-memory");
        harness.getOperator().close();
    }

    @Test
    void memoryThatIsUsedUpFailsTheTaskAndSaysWhatToDo() throws Exception {
        BatchSettings small = new BatchSettings(1000, 1 << 20, 0, 80_000);
        var harness = rowsToRows(small);
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 1000; i++) {
                                harness.processElement(record(i));
                            }
                        })
                .isInstanceOf(NativeOperatorException.class)
                .hasMessageContaining("Calc(select=[*])")
                .hasMessageContaining("streamfusion.sql.batch-memory");
        // A task that fails does not finish its operators.
        harness.getOperator().close();
    }

    private static OneInputStreamOperatorTestHarness<Object, Object> rowsToRows(
            BatchSettings settings) throws Exception {
        var factory =
                new NativeOperatorFactory(
                        TestPlans.identity(TYPE), TYPE, TYPE, Edge.ROWS, Edge.ROWS, settings);
        var harness = new OneInputStreamOperatorTestHarness<Object, Object>(factory);
        harness.setup(serializer());
        harness.open();
        return harness;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static TypeSerializer<Object> serializer() {
        return (TypeSerializer) new RowDataSerializer(TYPE);
    }

    private static RowData row(long id) {
        return new RowDataSerializer(TYPE)
                .toBinaryRow(
                        GenericRowData.of(id, StringData.fromString("a name that is long " + id)));
    }

    private static StreamRecord<Object> record(long id) {
        return new StreamRecord<>(row(id), 42);
    }

    private static List<Object> rows(OneInputStreamOperatorTestHarness<Object, Object> harness) {
        List<Object> rows = new ArrayList<>();
        for (Object element : harness.getOutput()) {
            rows.add(((StreamRecord<?>) element).getValue());
        }
        return rows;
    }

    private static StreamRecord<?> onlyRecord(
            OneInputStreamOperatorTestHarness<Object, Object> harness) {
        assertThat(harness.getOutput()).hasSize(1);
        return (StreamRecord<?>) harness.getOutput().peek();
    }

    private static long numRecordsOut(OneInputStreamOperatorTestHarness<Object, Object> harness) {
        NativeOneInputOperator operator = (NativeOneInputOperator) harness.getOperator();
        return operator.getMetricGroup().getIOMetricGroup().getNumRecordsOutCounter().getCount();
    }
}
