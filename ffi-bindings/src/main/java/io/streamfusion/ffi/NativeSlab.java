package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Native memory in which records are collected, one behind another, until a {@link NativeReader}
 * takes them. It is used again and again. One thread at a time.
 */
public final class NativeSlab implements AutoCloseable {
    private static final int FIRST_BYTES = 16 * 1024;
    private static final int FIRST_RECORDS = 256;

    /** Java arrays and our offsets end about here. */
    private static final int MOST = Integer.MAX_VALUE - 8;

    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();
    private final String advice;

    private MemorySegment bytes = MemorySegment.NULL;
    private MemorySegment offsets = MemorySegment.NULL;
    private int byteCapacity;
    private int recordCapacity;
    private int size;
    private int records;

    private NativeSlab(NativeHandle handle, String advice) {
        this.handle = handle;
        this.advice = advice;
    }

    /** Creates an empty slab whose memory counts against a budget. */
    public static NativeSlab create(NativeBudget budget) {
        return new NativeSlab(
                new NativeHandle(
                        "slab",
                        StreamFusionAbi.sf_slab_new(budget.pointer()),
                        StreamFusionAbi::sf_slab_free),
                budget.advice());
    }

    /** Adds a record that is {@code length} bytes of an array. */
    public void add(byte[] source, int offset, int length) {
        int at = begin(length);
        MemorySegment.copy(source, offset, bytes, ValueLayout.JAVA_BYTE, at, length);
        end(length);
    }

    /**
     * Room for a record of {@code length} bytes, to be written before the next call; the record is
     * added.
     */
    public MemorySegment add(int length) {
        int at = begin(length);
        end(length);
        return bytes.asSlice(at, length);
    }

    /** Number of records. */
    public int records() {
        return records;
    }

    /** Bytes of all records together. */
    public int size() {
        return size;
    }

    /** Forgets the records and keeps the memory. */
    public void clear() {
        size = 0;
        records = 0;
    }

    private int begin(int length) {
        if (length > byteCapacity - size || records == recordCapacity) {
            grow(length);
        }
        return size;
    }

    private void end(int length) {
        size += length;
        records++;
        offsets.setAtIndex(ValueLayout.JAVA_INT, records, size);
    }

    @SuppressWarnings("restricted")
    private void grow(int length) {
        long needed = (long) size + length;
        if (needed > MOST) {
            throw new NativeException(
                    NativeException.Kind.USER,
                    "records of " + needed + " bytes are too many for one batch");
        }
        int newBytes = byteCapacity;
        if (needed > newBytes) {
            newBytes = (int) Math.min(MOST, Math.max(Math.max(FIRST_BYTES, needed), 2L * newBytes));
        }
        int newRecords = recordCapacity;
        if (records == newRecords) {
            newRecords = Math.max(FIRST_RECORDS, 2 * newRecords);
        }
        MemorySegment out = scratch.ensure(2 * Long.BYTES);
        int status = StreamFusionAbi.sf_slab_reserve(handle.pointer(), newBytes, newRecords, out);
        if (status < 0) {
            throw NativeStatus.failure(status, new NativeAdvice(advice, ""));
        }
        byteCapacity = newBytes;
        recordCapacity = newRecords;
        bytes =
                MemorySegment.ofAddress(out.getAtIndex(ValueLayout.JAVA_LONG, 0))
                        .reinterpret(newBytes);
        offsets =
                MemorySegment.ofAddress(out.getAtIndex(ValueLayout.JAVA_LONG, 1))
                        .reinterpret((newRecords + 1L) * Integer.BYTES);
    }

    MemorySegment pointer() {
        return handle.pointer();
    }

    @Override
    public void close() {
        bytes = MemorySegment.NULL;
        offsets = MemorySegment.NULL;
        byteCapacity = 0;
        recordCapacity = 0;
        clear();
        scratch.close();
        handle.close();
    }
}
