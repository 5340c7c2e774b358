package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.util.function.ToIntFunction;

/** An operator from batches to batches, as a plan says. For the task thread only. */
public final class NativeOperator implements AutoCloseable {
    private static final int OUT_PLACES = 3;

    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();
    private final NativeAdvice advice;

    private NativeOperator(NativeHandle handle, String advice) {
        this.handle = handle;
        this.advice = new NativeAdvice(advice, "");
    }

    /**
     * Creates an operator.
     *
     * @param budget what the batches count against
     * @param plan the bytes of a message {@code Operator}
     * @throws NativeException of kind UNSUPPORTED, with the reason
     */
    public static NativeOperator create(NativeBudget budget, byte[] plan) {
        try (NativeScratch scratch = new NativeScratch()) {
            MemorySegment bytes = scratch.put(plan, 0, plan.length);
            MemorySegment made =
                    StreamFusionAbi.sf_operator_new(budget.pointer(), bytes, plan.length);
            return new NativeOperator(
                    new NativeHandle("operator", made, StreamFusionAbi::sf_operator_free),
                    budget.advice());
        }
    }

    /**
     * Gives a batch to an input.
     *
     * @param store where the operator has its state; null when it has none
     * @param input 0 or 1
     * @param batch is closed then, also when the call fails
     * @param now milliseconds of the time-to-live clock
     * @return what comes out, the caller's; null when that is nothing
     */
    public NativeBatch process(NativeStore store, int input, NativeBatch batch, long now) {
        try {
            MemorySegment out = scratch.ensure(OUT_PLACES * Long.BYTES);
            MemorySegment operator = handle.pointer();
            return run(
                    store,
                    out,
                    pointer ->
                            StreamFusionAbi.sf_operator_process(
                                    operator, pointer, input, batch.take(), now, out));
        } finally {
            // Only if the call was not made: else the batch is gone.
            batch.close();
        }
    }

    /** What the operator holds back; null when that is nothing. Arguments as above. */
    public NativeBatch flush(NativeStore store, long now) {
        MemorySegment out = scratch.ensure(OUT_PLACES * Long.BYTES);
        MemorySegment operator = handle.pointer();
        return run(
                store,
                out,
                pointer -> StreamFusionAbi.sf_operator_flush(operator, pointer, now, out));
    }

    private NativeBatch run(
            NativeStore store, MemorySegment out, ToIntFunction<MemorySegment> call) {
        int status = store == null ? call.applyAsInt(MemorySegment.NULL) : store.run(call);
        if (status < 0) {
            throw NativeStatus.failure(status, advice);
        }
        return NativeBatch.of(out);
    }

    @Override
    public void close() {
        scratch.close();
        handle.close();
    }
}
