package io.streamfusion.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * One reused piece of native memory for arguments and results of ordinary calls, which may not take
 * heap arrays. One thread at a time; closing it twice is harmless.
 */
final class NativeScratch implements AutoCloseable {
    private Arena arena;
    private MemorySegment memory = MemorySegment.NULL;

    /** At least {@code bytes} bytes; what an earlier call returned is no longer valid. */
    MemorySegment ensure(int bytes) {
        if (memory.byteSize() < bytes) {
            int capacity = NativeChunk.grown((int) memory.byteSize(), Math.max(bytes, 256));
            close();
            // Shared, because a store or snapshot may be closed by another thread than its user.
            arena = Arena.ofShared();
            memory = arena.allocate(capacity, Long.BYTES);
        }
        return memory;
    }

    /** Copies {@code length} heap bytes to the start of the scratch. */
    MemorySegment put(byte[] bytes, int offset, int length) {
        MemorySegment target = ensure(Math.max(1, length));
        MemorySegment.copy(bytes, offset, target, ValueLayout.JAVA_BYTE, 0, length);
        return target;
    }

    int capacity() {
        return (int) memory.byteSize();
    }

    /** The capacity a call that answered TOO_SMALL asked for. */
    int needed() {
        return Math.toIntExact(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        if (arena != null) {
            arena.close();
            arena = null;
            memory = MemorySegment.NULL;
        }
    }
}
