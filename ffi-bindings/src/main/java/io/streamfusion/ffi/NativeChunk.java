package io.streamfusion.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A reusable heap buffer that receives one chunk of a native scan and reads it back.
 *
 * <p>A chunk is {@code [i64 cursor][i32 count]} followed by {@code count} entries, integers
 * little-endian. Entries are read in order with {@link #takeInt()} and {@link #takeBytes(int)}; the
 * bytes stay in {@link #array()} until the next scan into this chunk. Not thread-safe.
 */
public final class NativeChunk {
    /** The cursor of the last chunk of a scan. */
    public static final long END = -1;

    private static final int HEADER_BYTES = 12;
    private static final int MINIMUM_CAPACITY = 64;
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes;
    private MemorySegment segment;
    private int length;
    private int position;

    /** Creates a chunk that first offers {@code initialCapacity} bytes to the native side. */
    public NativeChunk(int initialCapacity) {
        allocate(Math.max(MINIMUM_CAPACITY, initialCapacity));
    }

    /** The backing array; valid until the next scan into this chunk. */
    public byte[] array() {
        return bytes;
    }

    /** Number of bytes of the current chunk, header included. */
    public int length() {
        return length;
    }

    /** The cursor to continue with, or {@link #END}. */
    public long cursor() {
        return (long) LONG.get(bytes, 0);
    }

    /** Number of entries in this chunk. */
    public int count() {
        return (int) INT.get(bytes, Long.BYTES);
    }

    /** Reads the integer at the read position and moves behind it. */
    public int takeInt() {
        int value = (int) INT.get(bytes, position);
        position += Integer.BYTES;
        return value;
    }

    /**
     * Moves behind the next {@code count} bytes and returns where they begin in {@link #array()}.
     */
    public int takeBytes(int count) {
        int start = position;
        position += count;
        return start;
    }

    int capacity() {
        return bytes.length;
    }

    MemorySegment segment() {
        return segment;
    }

    /** The native side wrote {@code written} bytes: reading begins behind the header. */
    void filled(int written) {
        length = written;
        position = HEADER_BYTES;
    }

    /** Takes {@code written} bytes from native memory. */
    void receive(MemorySegment from, int written) {
        ensureCapacity(written);
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, bytes, 0, written);
        filled(written);
    }

    /** The native side wrote the capacity it needs where the cursor belongs. */
    void growToNeeded() {
        ensureCapacity(Math.toIntExact((long) LONG.get(bytes, 0)));
    }

    void ensureCapacity(int needed) {
        if (needed > bytes.length) {
            allocate(grown(bytes.length, needed));
        }
    }

    /** Doubles a capacity until it holds {@code needed} bytes, short of the largest array. */
    static int grown(int capacity, int needed) {
        long doubled = Math.max(2L * capacity, needed);
        return (int) Math.min(doubled, Integer.MAX_VALUE - 8L);
    }

    private void allocate(int capacity) {
        bytes = new byte[capacity];
        segment = MemorySegment.ofArray(bytes);
    }
}
