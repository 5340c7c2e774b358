package io.streamfusion.sql.planner;

import java.util.Arrays;

/** Nodes of Flink's plans that have a native form, and the name of their switch. */
public enum NativeKind {
    /** Reads a table. */
    SOURCE("source", "StreamExecTableSourceScan"),
    /** Projects and filters. */
    CALC("calc", "StreamExecCalc"),
    /** Writes a table. */
    SINK("sink", "StreamExecSink"),
    /** Marks the bundles of mini-batch; batches pass it as they are. */
    MINI_BATCH_ASSIGNER("mini-batch-assigner", "StreamExecMiniBatchAssigner"),
    /** Sends rows to the task of their key. */
    EXCHANGE("exchange", "StreamExecExchange"),
    /** GROUP BY in one phase. */
    GROUP_AGGREGATE("group-aggregate", "StreamExecGroupAggregate"),
    /** The first of two phases, before the exchange. */
    LOCAL_GROUP_AGGREGATE("local-group-aggregate", "StreamExecLocalGroupAggregate"),
    /** The second of two phases. */
    GLOBAL_GROUP_AGGREGATE("global-group-aggregate", "StreamExecGlobalGroupAggregate"),
    /** Every other node. */
    OTHER("other", "");

    private final String option;
    private final String node;

    NativeKind(String option, String node) {
        this.option = option;
        this.node = node;
    }

    /** The kind of an {@code ExecNode}. */
    static NativeKind of(Class<?> node) {
        return Arrays.stream(values())
                .filter(kind -> kind.node.equals(node.getSimpleName()))
                .findFirst()
                .orElse(OTHER);
    }

    /** Whether an operator of ours runs; the others pass batches on or are connectors. */
    boolean runsNatively() {
        return switch (this) {
            case CALC, GROUP_AGGREGATE, LOCAL_GROUP_AGGREGATE, GLOBAL_GROUP_AGGREGATE -> true;
            case SOURCE, SINK, MINI_BATCH_ASSIGNER, EXCHANGE, OTHER -> false;
        };
    }

    /** What the option {@code streamfusion.sql.operator.….enabled} calls it. */
    String option() {
        return option;
    }

    /** Flink's class, without its package; empty for {@link #OTHER}. */
    String node() {
        return node;
    }
}
