package io.streamfusion.jmh.state;

import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarBinaryType;

/**
 * Rows of one size: those of {@link BenchRows}, or the same with a third column of bytes.
 *
 * @param payload bytes of the third column, a multiple of 8; 0: there is no third column
 */
public record RowForm(int payload) {
    private static final int FIXED_BYTES = BenchRows.ROW_BYTES + Long.BYTES;

    /** Checks the size. */
    public RowForm {
        if (payload < 0 || payload % Long.BYTES != 0) {
            throw new IllegalArgumentException("The payload is " + payload + " bytes");
        }
    }

    /** Bytes of one entry as {@link BenchRows#ENTRY_BYTES} counts them. */
    public int entryBytes() {
        return BenchRows.ENTRY_BYTES - BenchRows.ROW_BYTES + rowBytes();
    }

    ValueStateDescriptor<RowData> descriptor() {
        return new ValueStateDescriptor<>("value", serializer());
    }

    /**
     * A fresh row. The payload is another one in every row and version; half of its bytes are
     * zeros, so that it compresses like data and not like noise.
     */
    RowData row(long version, long index) {
        if (payload == 0) {
            return BenchRows.row(version, index);
        }
        BinaryRowData row = new BinaryRowData(3);
        MemorySegment memory = MemorySegmentFactory.wrap(new byte[rowBytes()]);
        row.pointTo(memory, 0, rowBytes());
        row.setLong(0, version);
        row.setLong(1, index);
        // Where a BinaryRowData keeps a column of variable length: offset and length.
        row.setLong(2, ((long) FIXED_BYTES << Integer.SIZE) | payload);
        long seed = BenchRows.key(version) ^ index;
        for (int at = FIXED_BYTES; at < rowBytes(); at += Long.BYTES) {
            memory.putLong(at, BenchRows.key(seed + at) >>> Integer.SIZE);
        }
        return row;
    }

    private int rowBytes() {
        return payload == 0 ? BenchRows.ROW_BYTES : FIXED_BYTES + payload;
    }

    private RowDataSerializer serializer() {
        return payload == 0
                ? BenchRows.serializer()
                : new RowDataSerializer(
                        new BigIntType(),
                        new BigIntType(),
                        new VarBinaryType(VarBinaryType.MAX_LENGTH));
    }
}
