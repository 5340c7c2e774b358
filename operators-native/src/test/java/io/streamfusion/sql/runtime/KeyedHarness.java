package io.streamfusion.sql.runtime;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.util.InstantiationUtil;

/**
 * An operator with keyed state on a backend, the stock one of a transformation or a native one in
 * its place, in Flink's harness. Rows go in and come out.
 */
@SuppressWarnings("try") // close() is the harness's
final class KeyedHarness extends AbstractStreamOperatorTestHarness<Object> {
    static final int KEY_GROUPS = 64;

    private final RowDataSerializer outputs;
    private long checkpoints;

    /**
     * Opens an operator.
     *
     * @param stock says what its keys are
     * @param factory makes it; stock's own is copied
     * @param restored what to begin with, null for nothing
     */
    @SuppressWarnings("unchecked")
    KeyedHarness(
            OneInputTransformation<RowData, RowData> stock,
            StreamOperatorFactory<?> factory,
            StateBackend backend,
            long now,
            @Nullable OperatorSubtaskState restored)
            throws Exception {
        super(
                (StreamOperatorFactory<Object>) InstantiationUtil.clone(factory),
                new MockEnvironmentBuilder()
                        .setTaskName("test")
                        .setManagedMemorySize(64 << 20)
                        .setMaxParallelism(KEY_GROUPS)
                        .build());
        outputs = new RowDataSerializer(StockPlan.outputOf(stock));
        config.setStatePartitioner(0, stock.getStateKeySelector());
        config.setStateKeySerializer(
                stock.getStateKeyType().createSerializer(executionConfig.getSerializerConfig()));
        config.setManagedMemoryFractionOperatorOfUseCase(ManagedMemoryUseCase.STATE_BACKEND, 1);
        config.serializeAllConfigs();
        setStateBackend(backend);
        setStateTtlProcessingTime(now);
        setup((TypeSerializer<Object>) (TypeSerializer<?>) outputs);
        try {
            initializeState(restored);
            open();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Rows in, and what comes out until the operator holds none back. */
    List<BinaryRowData> process(List<? extends RowData> rows) throws Exception {
        Input<Object> input = input();
        for (RowData row : rows) {
            StreamRecord<Object> record = new StreamRecord<>(row);
            input.setKeyContextElement(record);
            input.processElement(record);
        }
        prepareSnapshotPreBarrier(++checkpoints);
        return drain();
    }

    /** A watermark in, and what comes out. */
    List<BinaryRowData> watermark(long millis) throws Exception {
        input().processWatermark(new Watermark(millis));
        return drain();
    }

    private List<BinaryRowData> drain() {
        List<BinaryRowData> rows = new ArrayList<>();
        for (Object value : extractOutputValues()) {
            rows.add(outputs.toBinaryRow((RowData) value).copy());
        }
        getOutput().clear();
        return rows;
    }

    /** A canonical savepoint, which any backend restores. */
    OperatorSubtaskState savepoint() throws Exception {
        SavepointType type = SavepointType.savepoint(SavepointFormatType.CANONICAL);
        return snapshotWithLocalState(++checkpoints, 0, type).getJobManagerOwnedState();
    }

    @SuppressWarnings("unchecked")
    private Input<Object> input() {
        return (Input<Object>) operator;
    }
}
