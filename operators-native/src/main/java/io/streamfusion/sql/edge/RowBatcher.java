package io.streamfusion.sql.edge;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.ffi.NativeReader;
import io.streamfusion.ffi.NativeSlab;
import io.streamfusion.plan.proto.BinaryRows;
import io.streamfusion.plan.proto.Reader;
import io.streamfusion.sql.plan.TypeEncoder;
import java.lang.foreign.MemorySegment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.binary.BinarySegmentUtils;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;

/** Collects rows and makes batches of them. For the task thread only. */
public final class RowBatcher implements AutoCloseable {
    private final RowDataSerializer serializer;
    private final NativeReader reader;
    private final NativeSlab slab;

    /**
     * Creates one without rows.
     *
     * @param description of the operator that it belongs to, for messages
     */
    public RowBatcher(NativeBudget budget, RowType type, String description) {
        byte[] plan =
                Reader.newBuilder()
                        .setDescription(description)
                        .setOutput(TypeEncoder.encode(type))
                        .setBinaryRows(BinaryRows.getDefaultInstance())
                        .build()
                        .toByteArray();
        serializer = new RowDataSerializer(type);
        reader = NativeReader.create(budget, plan);
        try {
            slab = NativeSlab.create(budget);
        } catch (RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    /** Adds a row, of which nothing is kept. */
    public void add(RowData row) {
        BinaryRowData binary = serializer.toBinaryRow(row);
        org.apache.flink.core.memory.MemorySegment[] segments = binary.getSegments();
        int offset = binary.getOffset();
        int size = binary.getSizeInBytes();
        if (segments.length == 1 && !segments[0].isOffHeap()) {
            slab.add(segments[0].getArray(), offset, size);
        } else {
            MemorySegment target = slab.add(size);
            byte[] bytes = BinarySegmentUtils.copyToBytes(segments, offset, size);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, target, 0, size);
        }
    }

    /** Rows that wait. */
    public int rows() {
        return slab.records();
    }

    /** Bytes of the rows that wait. */
    public int bytes() {
        return slab.size();
    }

    /** A batch of the rows that wait; they wait no more. The caller owns it. */
    public NativeBatch take() {
        NativeBatch batch = reader.read(slab).batch();
        slab.clear();
        return batch;
    }

    @Override
    public void close() {
        slab.close();
        reader.close();
    }
}
