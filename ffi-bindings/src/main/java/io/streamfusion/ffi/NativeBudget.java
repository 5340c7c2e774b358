package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;

/**
 * A limit on native memory that several stores may share. Any thread may use it; a store that was
 * created with it keeps counting against it after {@link #close()}.
 */
public final class NativeBudget implements AutoCloseable {
    private final NativeHandle handle;
    private final String advice;

    private NativeBudget(NativeHandle handle, String advice) {
        this.handle = handle;
        this.advice = advice;
    }

    /**
     * Creates a budget.
     *
     * @param limitBytes the most bytes all stores of this budget may hold together
     * @param advice what a user can do when the limit is reached; ends the message of the exception
     */
    public static NativeBudget create(long limitBytes, String advice) {
        NativeLibrary.load();
        return new NativeBudget(
                new NativeHandle(
                        "budget",
                        StreamFusionAbi.sf_budget_new(limitBytes),
                        StreamFusionAbi::sf_budget_free),
                advice);
    }

    /** Bytes charged now. */
    public long used() {
        return StreamFusionAbi.sf_budget_used(handle.pointer());
    }

    /** The limit in bytes. */
    public long limit() {
        return StreamFusionAbi.sf_budget_limit(handle.pointer());
    }

    /** Changes the limit; what is already held beyond a lower limit stays. */
    public void setLimit(long limitBytes) {
        NativeStatus.check(StreamFusionAbi.sf_budget_set_limit(handle.pointer(), limitBytes));
    }

    /** What a user can do when the limit is reached. */
    String advice() {
        return advice;
    }

    MemorySegment pointer() {
        return handle.pointer();
    }

    @Override
    public void close() {
        handle.close();
    }
}
