package io.streamfusion.sql.connector;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeException;
import io.streamfusion.ffi.NativeRecords;
import io.streamfusion.ffi.NativeWriter;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import io.streamfusion.sql.runtime.NativeOperatorException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.IOUtils;

/**
 * Encodes batches, and hands their records to the writer inside one by one.
 *
 * @param <W> type of the state
 * @param <C> type of what is committed
 */
@SuppressWarnings("try") // what may be interrupted is Flink's
final class BatchSinkWriter<W, C>
        implements StatefulSinkWriter<Object, W>, CommittingSinkWriter<Object, C> {
    /** Opens the writer inside. */
    @FunctionalInterface
    interface Opener<W> {
        StatefulSinkWriter<RowData, W> open() throws IOException;
    }

    private final NativeWriter encoder;
    private final StatefulSinkWriter<RowData, W> inner;
    private final Counter numRecordsIn;

    private BatchSinkWriter(
            NativeWriter encoder, StatefulSinkWriter<RowData, W> inner, Counter numRecordsIn) {
        this.encoder = encoder;
        this.inner = inner;
        this.numRecordsIn = numRecordsIn;
    }

    static <W, C> BatchSinkWriter<W, C> open(byte[] plan, Counter numRecordsIn, Opener<W> opener)
            throws IOException {
        NativeWriter encoder = NativeWriter.create(plan);
        try {
            return new BatchSinkWriter<>(encoder, opener.open(), numRecordsIn);
        } catch (IOException | RuntimeException e) {
            encoder.close();
            throw e;
        }
    }

    @Override
    public void write(Object element, Context context) throws IOException, InterruptedException {
        try (NativeBatch batch = ((NativeBatchRecord) element).take()) {
            // Flink has counted one.
            numRecordsIn.inc(batch.rows() - 1L);
            NativeWriter.Written written = encode(batch);
            NativeRecords values = written.values();
            NativeRecords keys = written.keys();
            byte[] kinds = batch.kinds();
            for (int i = 0; i < batch.rows(); i++) {
                RowKind kind = kinds == null ? RowKind.INSERT : RowKind.fromByteValue(kinds[i]);
                RowData row =
                        keys.size() == 0
                                ? EncodedRow.of(kind, values.get(i))
                                : EncodedRow.of(kind, keys.get(i), values.get(i));
                inner.write(row, context);
            }
        }
    }

    private NativeWriter.Written encode(NativeBatch batch) {
        try {
            return encoder.write(batch);
        } catch (NativeException e) {
            throw new NativeOperatorException("of the sink", e);
        }
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
        inner.flush(endOfInput);
    }

    @Override
    public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
        inner.writeWatermark(watermark);
    }

    @Override
    @SuppressWarnings("unchecked") // a writer of a sink that commits
    public Collection<C> prepareCommit() throws IOException, InterruptedException {
        return ((CommittingSinkWriter<RowData, C>) inner).prepareCommit();
    }

    @Override
    public List<W> snapshotState(long checkpointId) throws IOException {
        return inner.snapshotState(checkpointId);
    }

    @Override
    public void close() throws Exception {
        IOUtils.closeAll(encoder, inner);
    }
}
