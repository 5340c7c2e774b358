package io.streamfusion.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Records of bytes that a {@link NativeWriter} has written. The bytes lie in the writer and are
 * valid until its next call.
 */
public final class NativeRecords {
    /** No record. */
    static final NativeRecords NONE = new NativeRecords(MemorySegment.NULL, new int[0]);

    private final MemorySegment bytes;

    /** Where each record ends; the sign bit: the record is not there. */
    private final int[] ends;

    private NativeRecords(MemorySegment bytes, int[] ends) {
        this.bytes = bytes;
        this.ends = ends;
    }

    static NativeRecords of(MemorySegment bytes, MemorySegment ends) {
        return new NativeRecords(bytes, ends.toArray(ValueLayout.JAVA_INT));
    }

    /** Number of records. */
    public int size() {
        return ends.length;
    }

    /** A copy of the bytes of all records, one behind another. */
    public byte[] bytes() {
        return bytes.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Where a record begins in {@link #bytes()}. */
    public int begin(int record) {
        return record == 0 ? 0 : end(record - 1);
    }

    /** Where a record ends in {@link #bytes()}. */
    public int end(int record) {
        return ends[record] & Integer.MAX_VALUE;
    }

    /** A copy of one record's bytes; null when it is not there, such as a tombstone's value. */
    public byte[] get(int record) {
        if (ends[record] < 0) {
            return null;
        }
        int begin = begin(record);
        byte[] copy = new byte[end(record) - begin];
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, begin, copy, 0, copy.length);
        return copy;
    }
}
