package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits batches by the channel that each row goes to: that of its key's key group. Used by one
 * thread at a time.
 */
public final class NativeSplitter implements AutoCloseable {
    private static final int PLACES = 4;

    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();
    private final NativeAdvice advice;
    private final int channels;

    private NativeSplitter(NativeHandle handle, String advice, int channels) {
        this.handle = handle;
        this.advice = new NativeAdvice(advice, "");
        this.channels = channels;
    }

    /**
     * What goes to one channel.
     *
     * @param channel its number
     * @param batch at least one row; the receiver's to close
     */
    public record Piece(int channel, NativeBatch batch) {}

    /**
     * Creates a splitter.
     *
     * @param budget what the pieces are charged to
     * @param plan the bytes of a message {@code Exchange}
     * @param maxParallelism number of key groups
     * @param channels number of tasks that share them
     */
    public static NativeSplitter create(
            NativeBudget budget, byte[] plan, int maxParallelism, int channels) {
        try (NativeScratch arguments = new NativeScratch()) {
            MemorySegment pointer =
                    StreamFusionAbi.sf_splitter_new(
                            budget.pointer(),
                            arguments.put(plan, 0, plan.length),
                            plan.length,
                            maxParallelism,
                            channels);
            return new NativeSplitter(
                    new NativeHandle("splitter", pointer, StreamFusionAbi::sf_splitter_free),
                    budget.advice(),
                    channels);
        }
    }

    /** The rows of a batch by channel, in their order; the batch stays the caller's. */
    public List<Piece> split(NativeBatch batch) {
        MemorySegment out = scratch.ensure(channels * PLACES * Long.BYTES);
        int count = StreamFusionAbi.sf_splitter_split(handle.pointer(), batch.pointer(), out);
        if (count < 0) {
            throw NativeStatus.failure(count, advice);
        }
        List<Piece> pieces = new ArrayList<>(count);
        for (long i = 0; i < count; i++) {
            long channel = out.getAtIndex(ValueLayout.JAVA_LONG, i * PLACES);
            MemorySegment given = out.asSlice((i * PLACES + 1) * Long.BYTES);
            pieces.add(new Piece((int) channel, NativeBatch.of(given)));
        }
        return pieces;
    }

    /** Frees the splitter; closing twice is harmless. */
    @Override
    public void close() {
        handle.close();
        scratch.close();
    }
}
