package io.streamfusion.sql.connector;

import io.streamfusion.ffi.NativeReader;
import io.streamfusion.sql.edge.RowBatcher;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.runtime.BatchMemory;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.IOUtils;

/**
 * Polls the reader inside until a batch is full or nothing is available, and emits a batch for each
 * split before it returns: nothing is held between two polls, so the splits' offsets are always
 * those of what was emitted.
 *
 * @param <S> type of the splits
 */
@SuppressWarnings("try") // what may be interrupted is Flink's
final class BatchingSourceReader<S extends SourceSplit> implements SourceReader<Object, S> {
    private final SourceReader<RowData, S> inner;
    private final byte[] plan;
    private final RowType output;
    private final BatchSettings settings;
    private final Counter numRecordsOut;

    private BatchMemory memory;
    private NativeReader reader;
    private RowBatcher nulls;
    private BatchingReaderOutput batches;

    BatchingSourceReader(
            SourceReader<RowData, S> inner,
            Counter numRecordsOut,
            byte[] plan,
            RowType output,
            BatchSettings settings) {
        this.inner = inner;
        this.plan = plan;
        this.output = output;
        this.settings = settings;
        this.numRecordsOut = numRecordsOut;
    }

    @Override
    public void start() {
        memory = BatchMemory.open(settings);
        reader = NativeReader.create(memory.budget(), plan);
        nulls = new RowBatcher(memory.budget(), output, "messages without a value");
        batches =
                new BatchingReaderOutput(
                        memory.budget(),
                        reader,
                        NullMessages.of(plan, output, nulls),
                        numRecordsOut);
        inner.start();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<Object> target) throws Exception {
        batches.begin(target);
        InputStatus status;
        do {
            status = inner.pollNext(batches);
        } while (status == InputStatus.MORE_AVAILABLE
                && batches.rows() < settings.rows()
                && batches.bytes() < settings.bytes());
        batches.emitAll();
        return status;
    }

    @Override
    public List<S> snapshotState(long checkpointId) {
        return inner.snapshotState(checkpointId);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return inner.isAvailable();
    }

    @Override
    public void addSplits(List<S> splits) {
        inner.addSplits(splits);
    }

    @Override
    public void notifyNoMoreSplits() {
        inner.notifyNoMoreSplits();
    }

    @Override
    public void handleSourceEvents(SourceEvent sourceEvent) {
        inner.handleSourceEvents(sourceEvent);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        inner.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        inner.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void pauseOrResumeSplits(
            Collection<String> splitsToPause, Collection<String> splitsToResume) {
        inner.pauseOrResumeSplits(splitsToPause, splitsToResume);
    }

    @Override
    public void close() throws Exception {
        IOUtils.closeAll(inner, batches, nulls, reader, memory);
    }
}
