package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Batches as bytes, for the network. Any thread. */
public final class NativeFrames {
    private static final int OUT_PLACES = 3;

    private NativeFrames() {}

    /**
     * The bytes of a batch, which stays the caller's.
     *
     * @param budget what the bytes count against until they are copied to the heap
     */
    @SuppressWarnings("restricted")
    public static byte[] write(NativeBudget budget, NativeBatch batch) {
        try (NativeScratch scratch = new NativeScratch()) {
            MemorySegment out = scratch.ensure(OUT_PLACES * Long.BYTES);
            check(StreamFusionAbi.sf_frame_write(budget.pointer(), batch.pointer(), out), budget);
            MemorySegment made = MemorySegment.ofAddress(out.getAtIndex(ValueLayout.JAVA_LONG, 0));
            NativeHandle frame = new NativeHandle("frame", made, StreamFusionAbi::sf_frame_free);
            try {
                long length = out.getAtIndex(ValueLayout.JAVA_LONG, 2);
                return MemorySegment.ofAddress(out.getAtIndex(ValueLayout.JAVA_LONG, 1))
                        .reinterpret(length)
                        .toArray(ValueLayout.JAVA_BYTE);
            } finally {
                frame.close();
            }
        }
    }

    /**
     * The batch of one whole frame; the caller owns it.
     *
     * @param budget what the batch counts against
     * @param rowType the bytes of the message {@code DataType} of its rows
     * @throws NativeException of kind CORRUPT, when the bytes are not what was written
     */
    public static NativeBatch read(NativeBudget budget, byte[] rowType, byte[] frame) {
        try (NativeScratch scratch = new NativeScratch();
                NativeScratch types = new NativeScratch();
                NativeScratch bytes = new NativeScratch()) {
            MemorySegment out = scratch.ensure(OUT_PLACES * Long.BYTES);
            check(
                    StreamFusionAbi.sf_frame_read(
                            budget.pointer(),
                            types.put(rowType, 0, rowType.length),
                            rowType.length,
                            bytes.put(frame, 0, frame.length),
                            frame.length,
                            out),
                    budget);
            return NativeBatch.of(out);
        }
    }

    private static void check(int status, NativeBudget budget) {
        if (status < 0) {
            throw NativeStatus.failure(status, new NativeAdvice(budget.advice(), ""));
        }
    }
}
