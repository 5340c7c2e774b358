package io.streamfusion.sql.connector;

import com.google.protobuf.InvalidProtocolBufferException;
import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.plan.proto.Reader;
import io.streamfusion.sql.edge.RowBatcher;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * What a message without a value gives: the raw format makes a row of it whose field is NULL, the
 * others skip it.
 */
final class NullMessages {
    private final RowBatcher batcher;
    private final GenericRowData row;

    private NullMessages(RowBatcher batcher, GenericRowData row) {
        this.batcher = batcher;
        this.row = row;
    }

    static NullMessages of(byte[] plan, RowType output, RowBatcher batcher) {
        try {
            boolean raw = Reader.parseFrom(plan).hasRaw();
            GenericRowData row = raw ? new GenericRowData(output.getFieldCount()) : null;
            return new NullMessages(batcher, row);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("not the plan of a reader", e);
        }
    }

    /** Whether there is a row at all. */
    boolean areRows() {
        return row != null;
    }

    /** A batch of that row; the caller owns it. */
    NativeBatch batch() {
        batcher.add(row);
        return batcher.take();
    }
}
