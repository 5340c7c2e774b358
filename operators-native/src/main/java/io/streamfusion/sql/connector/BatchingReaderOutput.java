package io.streamfusion.sql.connector;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.ffi.NativeException;
import io.streamfusion.ffi.NativeReader;
import io.streamfusion.ffi.NativeSlab;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import io.streamfusion.sql.runtime.NativeOperatorException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.RowData;

/** Collects a reader's messages by split, and emits them as batches. For the task thread only. */
final class BatchingReaderOutput implements ReaderOutput<RowData>, AutoCloseable {
    private static final String MAIN = "all splits";

    private final NativeBudget budget;
    private final NativeReader reader;
    private final NullMessages nulls;
    private final Counter numRecordsOut;
    private final Map<String, SplitOutput> splits = new LinkedHashMap<>();

    private ReaderOutput<Object> target;
    private SplitOutput main;
    private int rows;
    private long bytes;

    BatchingReaderOutput(
            NativeBudget budget, NativeReader reader, NullMessages nulls, Counter numRecordsOut) {
        this.budget = budget;
        this.reader = reader;
        this.nulls = nulls;
        this.numRecordsOut = numRecordsOut;
    }

    /** A poll begins, whose batches go to {@code output}. */
    void begin(ReaderOutput<Object> output) {
        target = output;
    }

    /** Messages that wait. */
    int rows() {
        return rows;
    }

    /** Bytes of the messages that wait. */
    long bytes() {
        return bytes;
    }

    /** Emits everything that waits. */
    void emitAll() {
        if (rows > 0) {
            if (main != null) {
                main.emit();
            }
            splits.values().forEach(SplitOutput::emit);
        }
    }

    @Override
    public SourceOutput<RowData> createOutputForSplit(String splitId) {
        return splits.computeIfAbsent(
                splitId, id -> new SplitOutput(id, target.createOutputForSplit(id)));
    }

    @Override
    public void releaseOutputForSplit(String splitId) {
        SplitOutput split = splits.remove(splitId);
        if (split != null) {
            split.emit();
            split.close();
        }
        target.releaseOutputForSplit(splitId);
    }

    private SplitOutput main() {
        if (main == null) {
            main = new SplitOutput(MAIN, target);
        }
        return main;
    }

    @Override
    public void collect(RowData row) {
        main().collect(row);
    }

    @Override
    public void collect(RowData row, long timestamp) {
        main().collect(row, timestamp);
    }

    @Override
    public void emitWatermark(Watermark watermark) {
        emitAll();
        target.emitWatermark(watermark);
    }

    @Override
    public void markIdle() {
        emitAll();
        target.markIdle();
    }

    @Override
    public void markActive() {
        target.markActive();
    }

    @Override
    public void close() {
        // What waits is of a poll that failed; its offsets are in no checkpoint.
        if (main != null) {
            main.close();
        }
        splits.values().forEach(SplitOutput::close);
        splits.clear();
    }

    /** The messages of one split. */
    private final class SplitOutput implements SourceOutput<RowData>, AutoCloseable {
        private final String split;
        private final SourceOutput<Object> output;
        private final NativeSlab slab = NativeSlab.create(budget);

        private boolean hasTimestamp;
        private long timestamp;

        SplitOutput(String split, SourceOutput<Object> output) {
            this.split = split;
            this.output = output;
        }

        @Override
        public void collect(RowData row) {
            add(RawMessages.message(row), false, 0);
        }

        @Override
        public void collect(RowData row, long timestamp) {
            add(RawMessages.message(row), true, timestamp);
        }

        private void add(byte[] message, boolean hasTime, long time) {
            if (message == null) {
                if (nulls.areRows()) {
                    emit();
                    setTimestamp(hasTime, time);
                    emit(nulls.batch(), Long.MIN_VALUE);
                }
                return;
            }
            slab.add(message, 0, message.length);
            rows++;
            bytes += message.length;
            setTimestamp(hasTime, time);
        }

        private void setTimestamp(boolean hasTime, long time) {
            hasTimestamp = hasTime;
            timestamp = time;
        }

        void emit() {
            int records = slab.records();
            if (records == 0) {
                return;
            }
            rows -= records;
            bytes -= slab.size();
            NativeReader.Read read;
            try {
                read = reader.read(slab);
            } catch (NativeException e) {
                throw new NativeOperatorException("of the split " + split, e);
            } finally {
                slab.clear();
            }
            emit(read.batch(), read.watermark());
        }

        private void emit(NativeBatch batch, long watermark) {
            try (batch) {
                if (batch.rows() == 0) {
                    return;
                }
                // Flink counts one.
                numRecordsOut.inc(batch.rows() - 1L);
                NativeBatchRecord record = NativeBatchRecord.lend(batch, watermark);
                if (hasTimestamp) {
                    output.collect(record, timestamp);
                } else {
                    output.collect(record);
                }
            }
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            emit();
            output.emitWatermark(watermark);
        }

        @Override
        public void markIdle() {
            emit();
            output.markIdle();
        }

        @Override
        public void markActive() {
            output.markActive();
        }

        @Override
        public void close() {
            slab.close();
        }
    }
}
