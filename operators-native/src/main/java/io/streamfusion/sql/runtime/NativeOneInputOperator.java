package io.streamfusion.sql.runtime;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeException;
import io.streamfusion.ffi.NativeOperator;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.ffi.NativeStoreOwner;
import io.streamfusion.sql.edge.BatchRows;
import io.streamfusion.sql.edge.RowBatcher;
import io.streamfusion.sql.exchange.BatchCoalescer;
import io.streamfusion.sql.exchange.ExchangeOutput;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.plan.SqlOptions;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Supplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.IOUtils;

/**
 * Runs a native plan. Batches of the operator before are processed when they come. Rows, and
 * batches out of the network, are collected until a batch is full, and no longer than until
 * anything else comes: a watermark, a marker, a barrier, the end, or the time of the longest wait.
 *
 * <p>When there is an exchange behind the operator, batches go out split by its channels.
 */
public final class NativeOneInputOperator extends AbstractStreamOperator<Object>
        implements OneInputStreamOperator<Object, Object>, BoundedOneInput {
    private static final long serialVersionUID = 1L;

    private final NativeOperatorSpec spec;

    private transient BatchMemory memory;
    private transient NativeOperator operator;

    /** Null when the operator has no state. */
    private transient NativeStoreOwner owner;

    /** Null when batches come in. */
    private transient RowBatcher batcher;

    /** Null when rows come in. */
    private transient BatchCoalescer coalescer;

    /** Null when batches go out. */
    private transient BatchRows rows;

    /** Null when no exchange is behind the operator. */
    private transient ExchangeOutput exchange;

    private transient StreamRecord<Object> element;
    private transient Counter numRecordsIn;
    private transient Counter numRecordsOut;

    /** Null when none is set; it may outlive the rows for which it was set. */
    private transient ScheduledFuture<?> timer;

    NativeOneInputOperator(StreamOperatorParameters<Object> parameters, NativeOperatorSpec spec) {
        super(parameters);
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        memory = BatchMemory.open(spec.settings());
        operator = NativeOperator.create(memory.budget(), spec.plan());
        String description = spec.description();
        if (spec.takesRows()) {
            batcher = new RowBatcher(memory.budget(), spec.input(), description);
        } else {
            BatchSettings settings = spec.settings();
            coalescer = new BatchCoalescer(memory.budget(), settings.rows(), settings.bytes());
        }
        if (spec.givesRows()) {
            boolean reuse = getExecutionConfig().isObjectReuseEnabled();
            rows = new BatchRows(spec.output(), description, reuse);
        } else {
            exchange =
                    ExchangeOutput.behind(getOperatorConfig(), getContainingTask(), memory.budget())
                            .orElse(null);
        }
        if (spec.states() != null) {
            owner = nativeBackend();
            spec.states().register(this);
        }
        element = new StreamRecord<>(null);
        numRecordsIn = getMetricGroup().getIOMetricGroup().getNumRecordsInCounter();
        numRecordsOut = getMetricGroup().getIOMetricGroup().getNumRecordsOutCounter();
    }

    private NativeStoreOwner nativeBackend() {
        KeyedStateBackend<?> backend = getKeyedStateBackend();
        if (backend instanceof NativeStoreOwner store) {
            return store;
        }
        throw new IllegalStateException(
                "The native operator "
                        + spec.description()
                        + " needs one of StreamFusion's state backends, and the job runs with "
                        + (backend == null ? "none" : backend.getClass().getSimpleName())
                        + ". Set state.backend.type to"
                        + " streamfusion-memory or streamfusion-paimon, or "
                        + SqlOptions.ENABLED.key()
                        + " to false.");
    }

    // ---- keys are found natively, not for one record

    @Override
    @SuppressWarnings("rawtypes")
    public void setKeyContextElement1(StreamRecord record) {}

    // ---- in

    @Override
    public void processElement(StreamRecord<Object> record) throws Exception {
        if (batcher == null) {
            NativeBatchRecord batch = (NativeBatchRecord) record.getValue();
            // Flink has counted one.
            numRecordsIn.inc(batch.rows() - 1L);
            if (batch.isLent()) {
                process(batch.take());
                return;
            }
            coalescer.add(batch.take());
            if (coalescer.isFull()) {
                flushInput();
            } else if (timer == null) {
                setTimer();
            }
            return;
        }
        try {
            batcher.add((RowData) record.getValue());
        } catch (NativeException e) {
            throw new NativeOperatorException(spec.description(), e);
        }
        if (batcher.rows() >= spec.settings().rows()
                || batcher.bytes() >= spec.settings().bytes()) {
            flushInput();
        } else if (timer == null) {
            setTimer();
        }
    }

    private void setTimer() {
        long wait = spec.settings().timeoutMillis();
        if (wait == 0) {
            return;
        }
        timer =
                getProcessingTimeService()
                        .registerTimer(
                                getProcessingTimeService().getCurrentProcessingTime() + wait,
                                time -> {
                                    timer = null;
                                    flushInput();
                                });
    }

    private void flushInput() {
        if (batcher != null && batcher.rows() > 0) {
            process(guarded(batcher::take));
        }
        if (coalescer != null && coalescer.rows() > 0) {
            process(guarded(coalescer::take));
        }
    }

    /** Everything that was held back goes out. */
    private void flushAll() {
        flushInput();
        NativeBatch out = guarded(() -> operator.flush(store(), now()));
        if (out != null) {
            emit(out);
        }
    }

    private void process(NativeBatch batch) {
        int keys = batch.rows();
        NativeBatch out = guarded(() -> operator.process(store(), 0, batch, now()));
        if (owner != null) {
            owner.keysAccessed(keys);
        }
        if (out != null) {
            emit(out);
        }
    }

    private NativeStore store() {
        return owner == null ? null : owner.store();
    }

    /** The time-to-live clock, for operators with state. */
    private long now() {
        return owner == null ? 0 : owner.now();
    }

    private <T> T guarded(Supplier<T> call) {
        try {
            return call.get();
        } catch (NativeException e) {
            throw new NativeOperatorException(spec.description(), e);
        }
    }

    // ---- out

    private void emit(NativeBatch batch) {
        try (batch) {
            if (rows != null) {
                rows.emit(batch, row -> output.collect(element.replace(row)));
            } else if (exchange != null) {
                int records =
                        guarded(
                                () ->
                                        exchange.emit(
                                                batch,
                                                piece -> output.collect(element.replace(piece))));
                // Flink has counted these.
                numRecordsOut.inc((long) batch.rows() - records);
            } else {
                numRecordsOut.inc(batch.rows() - 1L);
                output.collect(element.replace(NativeBatchRecord.lend(batch)));
            }
        }
    }

    // ---- what must not overtake rows

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        flushAll();
        super.processWatermark(mark);
    }

    @Override
    public void processWatermark(WatermarkEvent watermark) throws Exception {
        flushInput();
        super.processWatermark(watermark);
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        flushInput();
        super.processWatermarkStatus(status);
    }

    @Override
    public void processLatencyMarker(LatencyMarker marker) throws Exception {
        flushInput();
        super.processLatencyMarker(marker);
    }

    @Override
    public void processRecordAttributes(RecordAttributes attributes) throws Exception {
        flushInput();
        super.processRecordAttributes(attributes);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        flushAll();
        super.prepareSnapshotPreBarrier(checkpointId);
    }

    @Override
    public void endInput() {
        flushAll();
    }

    @Override
    public void finish() throws Exception {
        flushAll();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        if (timer != null) {
            timer.cancel(false);
        }
        // In the order of need: what is charged goes before what it is charged to.
        IOUtils.closeAll(
                batcher,
                coalescer,
                rows,
                exchange,
                operator,
                memory,
                this::closeStates,
                super::close);
    }

    private void closeStates() throws Exception {
        if (owner != null) {
            spec.states().close();
        }
    }
}
