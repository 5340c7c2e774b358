package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** What the library can run. */
public final class NativePlan {
    /** What a plan is of. */
    public enum Kind {
        /** Records to batches. */
        READER(0),
        /** Batches to records. */
        WRITER(1),
        /** Batches to batches. */
        OPERATOR(2),
        /** A batch to batches, by the task that a row goes to. */
        EXCHANGE(3);

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    private NativePlan() {}

    /**
     * Why a plan cannot run, in words for users; empty when it can.
     *
     * @param plan the bytes of the message
     * @throws NativeException when the plan makes no sense
     */
    public static Optional<String> reason(Kind kind, byte[] plan) {
        NativeLibrary.load();
        try (NativeScratch scratch = new NativeScratch()) {
            MemorySegment bytes = scratch.put(plan, 0, plan.length);
            NativeStatus.check(StreamFusionAbi.sf_plan_check(kind.code, bytes, plan.length));
            return Optional.empty();
        } catch (NativeException e) {
            if (e.kind() == NativeException.Kind.UNSUPPORTED) {
                return Optional.of(e.getMessage());
            }
            throw e;
        }
    }
}
