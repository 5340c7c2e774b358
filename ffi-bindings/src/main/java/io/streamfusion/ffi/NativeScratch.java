package io.streamfusion.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * One reused piece of native memory for arguments and results of ordinary calls, which may not take
 * heap arrays. One thread at a time; closing it twice is harmless.
 */
final class NativeScratch implements AutoCloseable {
    /** What closed scratches leave to the next ones, so that a checkpoint allocates nothing. */
    private static final ArrayBlockingQueue<MemorySegment> SPARE = new ArrayBlockingQueue<>(16);

    private static final int LARGEST_SPARE = 1024 * 1024;

    private MemorySegment memory = MemorySegment.NULL;

    /** At least {@code bytes} bytes; what an earlier call returned is no longer valid. */
    MemorySegment ensure(int bytes) {
        if (memory.byteSize() < bytes) {
            int capacity = NativeChunk.grown((int) memory.byteSize(), Math.max(bytes, 256));
            close();
            MemorySegment spare = SPARE.poll();
            memory =
                    spare != null && spare.byteSize() >= bytes
                            ? spare
                            // Automatic: a store may be closed by another thread than its user,
                            // and to close a shared arena stops all threads for a moment.
                            : Arena.ofAuto().allocate(capacity, Long.BYTES);
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
        if (memory.byteSize() > 0 && memory.byteSize() <= LARGEST_SPARE) {
            // Refused when there are enough; the memory is then freed with its segment.
            boolean unused = SPARE.offer(memory);
        }
        memory = MemorySegment.NULL;
    }
}
