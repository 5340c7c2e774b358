package io.streamfusion.sql.plan;

import io.streamfusion.ffi.NativePlan;
import java.util.Optional;

/** Asks the native side whether it can run a plan: it alone decides. */
public final class PlanCheck {
    /** What a plan is of. */
    public enum Kind {
        /** A message {@code Reader}. */
        READER(NativePlan.Kind.READER),
        /** A message {@code Writer}. */
        WRITER(NativePlan.Kind.WRITER),
        /** A message {@code Operator}. */
        OPERATOR(NativePlan.Kind.OPERATOR),
        /** A message {@code Exchange}. */
        EXCHANGE(NativePlan.Kind.EXCHANGE);

        private final NativePlan.Kind kind;

        Kind(NativePlan.Kind kind) {
            this.kind = kind;
        }
    }

    private PlanCheck() {}

    /**
     * Why a plan cannot run, in words for users; empty when it can.
     *
     * @param plan the bytes of the message
     */
    public static Optional<String> reason(Kind kind, byte[] plan) {
        return NativePlan.reason(kind.kind, plan);
    }
}
