package io.streamfusion.sql.planner;

/** An operator stays on Flink; the message is what EXPLAIN shows. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    Refusal(String reason) {
        super(reason, null, false, false);
    }
}
