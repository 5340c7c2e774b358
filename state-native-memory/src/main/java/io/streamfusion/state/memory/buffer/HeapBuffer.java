package io.streamfusion.state.memory.buffer;

import java.lang.foreign.MemorySegment;

/** A growing heap array together with the segment that native calls take for it. */
public final class HeapBuffer {
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    private byte[] array;
    private MemorySegment segment;

    /** Creates a buffer of {@code capacity} bytes. */
    public HeapBuffer(int capacity) {
        allocate(capacity);
    }

    /** The array; another one after {@link #ensureCapacity(int)}. */
    public byte[] array() {
        return array;
    }

    /** The whole array as a segment. */
    public MemorySegment segment() {
        return segment;
    }

    /** Bytes this buffer can hold. */
    public int capacity() {
        return array.length;
    }

    /** Makes room for {@code needed} bytes; what the buffer held is lost when it grows. */
    public void ensureCapacity(int needed) {
        if (needed > array.length) {
            allocate((int) Math.min(MAX_ARRAY, Math.max(needed, 2L * array.length)));
        }
    }

    private void allocate(int capacity) {
        array = new byte[capacity];
        segment = MemorySegment.ofArray(array);
    }
}
