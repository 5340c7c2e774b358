package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Makes batches of records, as a plan says. One thread at a time. */
public final class NativeReader implements AutoCloseable {
    /** What was read, and the greatest watermark of its rows, if the plan has one. */
    public record Read(NativeBatch batch, boolean hasWatermark, long watermark) {}

    private static final int OUT_PLACES = 5;

    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();
    private final NativeAdvice advice;

    private NativeReader(NativeHandle handle, String advice) {
        this.handle = handle;
        this.advice = new NativeAdvice(advice, "");
    }

    /**
     * Creates a reader.
     *
     * @param budget what the batches count against
     * @param plan the bytes of a message {@code Reader}
     * @throws NativeException of kind UNSUPPORTED, with the reason
     */
    public static NativeReader create(NativeBudget budget, byte[] plan) {
        try (NativeScratch scratch = new NativeScratch()) {
            MemorySegment bytes = scratch.put(plan, 0, plan.length);
            MemorySegment made =
                    StreamFusionAbi.sf_reader_new(budget.pointer(), bytes, plan.length);
            return new NativeReader(
                    new NativeHandle("reader", made, StreamFusionAbi::sf_reader_free),
                    budget.advice());
        }
    }

    /** Reads all records of a slab, which keeps them. The caller owns the batch. */
    public Read read(NativeSlab slab) {
        MemorySegment out = scratch.ensure(OUT_PLACES * Long.BYTES);
        int status =
                StreamFusionAbi.sf_reader_read(
                        handle.pointer(), slab.pointer(), slab.records(), out);
        if (status < 0) {
            throw NativeStatus.failure(status, advice);
        }
        return new Read(
                NativeBatch.of(out),
                out.getAtIndex(ValueLayout.JAVA_LONG, 3) == 1,
                out.getAtIndex(ValueLayout.JAVA_LONG, 4));
    }

    @Override
    public void close() {
        scratch.close();
        handle.close();
    }
}
