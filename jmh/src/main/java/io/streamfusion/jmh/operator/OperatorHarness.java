package io.streamfusion.jmh.operator;

import io.streamfusion.jmh.state.BenchBackend;
import java.util.List;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A planned operator on a state backend, in Flink's harness. Rows come in one by one as from a
 * chain; what the operator emits is counted and dropped. Used by one thread.
 */
@SuppressWarnings("try") // close() is the harness's
final class OperatorHarness extends AbstractStreamOperatorTestHarness<RowData> {
    static final int KEY_GROUPS = BenchBackend.KEY_GROUPS;

    private static final Logger LOG = LoggerFactory.getLogger(OperatorHarness.class);

    /** Of managed memory; the rest is the operator's, for windows. */
    private static final double STATE_SHARE = 0.9;

    private final StreamRecord<RowData> record = new StreamRecord<>(null);
    private final Counted emitted = new Counted();
    private final boolean keyed;

    /** Opens the operator on an empty backend; see {@link BenchBackend} for its memory. */
    OperatorHarness(PlannedOperator planned, String backend) throws Exception {
        super(
                planned.factory(),
                new MockEnvironmentBuilder()
                        .setTaskName(planned.name())
                        .setManagedMemorySize(BenchBackend.managedBytes())
                        .setMaxParallelism(KEY_GROUPS)
                        .build());
        keyed = !planned.keySelectors().isEmpty();
        if (keyed) {
            List<KeySelector<RowData, ?>> selectors = planned.keySelectors();
            for (int i = 0; i < selectors.size(); i++) {
                config.setStatePartitioner(i, selectors.get(i));
            }
            config.setStateKeySerializer(
                    planned.keyType().createSerializer(executionConfig.getSerializerConfig()));
        }
        config.setManagedMemoryFractionOperatorOfUseCase(
                ManagedMemoryUseCase.STATE_BACKEND, STATE_SHARE);
        config.setManagedMemoryFractionOperatorOfUseCase(
                ManagedMemoryUseCase.OPERATOR, 1 - STATE_SHARE);
        config.serializeAllConfigs();
        Configuration configuration = BenchBackend.configuration(backend);
        setStateBackend(
                StateBackendLoader.loadStateBackendFromConfig(
                        configuration, OperatorHarness.class.getClassLoader(), LOG));
        setOutputCreator(serializer -> emitted);
        setup();
        open();
    }

    /** A row for the only or the first input. */
    void first(RowData row) throws Exception {
        if (operator instanceof OneInputStreamOperator<?, ?>) {
            @SuppressWarnings("unchecked")
            Input<RowData> input = (Input<RowData>) operator;
            record.replace(row);
            if (keyed) {
                input.setKeyContextElement(record);
            }
            input.processElement(record);
        } else {
            TwoInputStreamOperator<RowData, RowData, RowData> two = twoInputs();
            record.replace(row);
            two.setKeyContextElement1(record);
            two.processElement1(record);
        }
    }

    /** A row for the second input. */
    void second(RowData row) throws Exception {
        TwoInputStreamOperator<RowData, RowData, RowData> two = twoInputs();
        record.replace(row);
        two.setKeyContextElement2(record);
        two.processElement2(record);
    }

    /** Event time has come to so many milliseconds. */
    void watermark(long millis) throws Exception {
        Watermark watermark = new Watermark(millis);
        if (operator instanceof OneInputStreamOperator<?, ?> one) {
            one.processWatermark(watermark);
        } else {
            twoInputs().processWatermark1(watermark);
            twoInputs().processWatermark2(watermark);
        }
    }

    /** Rows emitted so far. */
    long emitted() {
        return emitted.rows;
    }

    @SuppressWarnings("unchecked")
    private TwoInputStreamOperator<RowData, RowData, RowData> twoInputs() {
        return (TwoInputStreamOperator<RowData, RowData, RowData>) operator;
    }

    private static final class Counted implements Output<StreamRecord<RowData>> {
        private long rows;

        @Override
        public void collect(StreamRecord<RowData> row) {
            rows++;
        }

        @Override
        public <X> void collect(OutputTag<X> tag, StreamRecord<X> row) {
            throw new IllegalStateException("A row for the side output " + tag.getId());
        }

        @Override
        public void emitWatermark(Watermark mark) {}

        @Override
        public void emitWatermarkStatus(WatermarkStatus status) {}

        @Override
        public void emitLatencyMarker(LatencyMarker marker) {}

        @Override
        public void emitRecordAttributes(RecordAttributes attributes) {}

        @Override
        public void emitWatermark(org.apache.flink.runtime.event.WatermarkEvent event) {}

        @Override
        public void close() {}
    }
}
