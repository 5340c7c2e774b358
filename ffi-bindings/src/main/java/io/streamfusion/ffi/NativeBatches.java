package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Several batches as one. */
public final class NativeBatches {
    private static final int PLACES = 3;

    private NativeBatches() {}

    /**
     * All rows of batches of one row type, in their order.
     *
     * @param budget what the result is charged to
     * @param batches at least one; they stay the caller's
     * @return the caller's, too
     */
    public static NativeBatch concat(NativeBudget budget, List<NativeBatch> batches) {
        int handles = PLACES;
        try (NativeScratch scratch = new NativeScratch()) {
            MemorySegment memory = scratch.ensure((handles + batches.size()) * Long.BYTES);
            for (NativeBatch batch : batches) {
                memory.setAtIndex(ValueLayout.JAVA_LONG, handles++, batch.pointer().address());
            }
            int status =
                    StreamFusionAbi.sf_batches_concat(
                            budget.pointer(),
                            memory.asSlice((long) PLACES * Long.BYTES),
                            batches.size(),
                            memory);
            if (status < 0) {
                throw NativeStatus.failure(status, new NativeAdvice(budget.advice(), ""));
            }
            return NativeBatch.of(memory);
        }
    }
}
