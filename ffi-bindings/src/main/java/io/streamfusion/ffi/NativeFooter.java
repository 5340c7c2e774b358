package io.streamfusion.ffi;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Asks the library to read the footer of a file. */
final class NativeFooter {
    private static final int FIRST_OUTPUT_BYTES = 4096;

    private NativeFooter() {}

    /** A native function that reads a footer: 0 says that the tail is too short. */
    @FunctionalInterface
    interface Call {
        int read(
                MemorySegment tail,
                int tailLength,
                long fileLength,
                MemorySegment name,
                int nameLength,
                MemorySegment out,
                int capacity);
    }

    /**
     * Reads a footer.
     *
     * @param tail the last bytes of the file
     * @param fileLength its whole length
     * @param name named in the message when the bytes are damaged
     * @param tooShort makes the result from the number of bytes that are needed
     * @param read makes the result from the function's output
     * @throws NativeException of kind CORRUPT when the footer is damaged
     */
    static <T> T parse(
            Call call,
            byte[] tail,
            long fileLength,
            String name,
            IntFunction<T> tooShort,
            Function<MemorySegment, T> read) {
        byte[] utf8 = NativeScratch.utf8(name);
        try (NativeScratch tailBytes = new NativeScratch();
                NativeScratch nameBytes = new NativeScratch();
                NativeScratch result = new NativeScratch()) {
            MemorySegment tailMemory = tailBytes.put(tail, 0, tail.length);
            MemorySegment nameMemory = nameBytes.put(utf8, 0, utf8.length);
            result.ensure(FIRST_OUTPUT_BYTES);
            while (true) {
                MemorySegment out = result.ensure(1);
                int status =
                        call.read(
                                tailMemory,
                                tail.length,
                                fileLength,
                                nameMemory,
                                utf8.length,
                                out,
                                result.capacity());
                if (status == NativeStatus.TOO_SMALL) {
                    result.ensure(result.needed());
                    continue;
                }
                return NativeStatus.check(status) == 0
                        ? tooShort.apply(result.needed())
                        : read.apply(out);
            }
        }
    }
}
