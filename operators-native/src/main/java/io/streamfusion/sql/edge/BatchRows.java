package io.streamfusion.sql.edge;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeRecords;
import io.streamfusion.ffi.NativeWriter;
import io.streamfusion.plan.proto.BinaryRows;
import io.streamfusion.plan.proto.Form;
import io.streamfusion.plan.proto.Writer;
import io.streamfusion.sql.plan.TypeEncoder;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.types.logical.RowType;

/** Makes rows of batches. For the task thread only. */
public final class BatchRows implements AutoCloseable {
    private final NativeWriter writer;
    private final int arity;
    private final BinaryRowData reused;

    /**
     * Creates one.
     *
     * @param description of the operator that it belongs to, for messages
     * @param reuse whether one row object serves all rows, as Flink's object reuse allows
     */
    public BatchRows(RowType type, String description, boolean reuse) {
        arity = type.getFieldCount();
        byte[] plan =
                Writer.newBuilder()
                        .setDescription(description)
                        .setInput(TypeEncoder.encode(type))
                        .setValue(
                                Form.newBuilder()
                                        .addAllColumns(IntStream.range(0, arity).boxed().toList())
                                        .setBinaryRows(BinaryRows.getDefaultInstance()))
                        .build()
                        .toByteArray();
        writer = NativeWriter.create(plan);
        reused = reuse ? new BinaryRowData(arity) : null;
    }

    /** Gives all rows of a batch, which stays the caller's, in order and with their kinds. */
    public void emit(NativeBatch batch, Consumer<RowData> rows) {
        NativeRecords records = writer.write(batch).values();
        // One segment for all: rows that are kept long are copied by Flink first.
        MemorySegment segment = MemorySegmentFactory.wrap(records.bytes());
        for (int i = 0; i < records.size(); i++) {
            BinaryRowData row = reused != null ? reused : new BinaryRowData(arity);
            int begin = records.begin(i);
            row.pointTo(segment, begin, records.end(i) - begin);
            rows.accept(row);
        }
    }

    @Override
    public void close() {
        writer.close();
    }
}
