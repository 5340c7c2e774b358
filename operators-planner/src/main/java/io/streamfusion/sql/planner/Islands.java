package io.streamfusion.sql.planner;

import java.util.List;

/**
 * Which of the nodes that could be native are, seen from their neighbours: who can only take or
 * give batches needs neighbours that do, and a native operator alone among row operators has to be
 * worth two conversions of each row.
 */
final class Islands {
    private Islands() {}

    /**
     * Refuses nodes until the others fit together.
     *
     * @param nodes inputs before their consumers
     * @param always keep what only cost is against
     */
    static void settle(List<PlanNode> nodes, boolean always) {
        boolean changed;
        do {
            changed = false;
            for (PlanNode node : nodes) {
                Refusal refusal = node.isNative() ? refusal(node, always) : null;
                if (refusal != null) {
                    node.refuse(refusal);
                    changed = true;
                }
            }
        } while (changed);
    }

    private static Refusal refusal(PlanNode node, boolean always) {
        return switch (node.kind()) {
            case SOURCE -> needsReaders(node);
            case SINK -> needsInputs(node);
            case MINI_BATCH_ASSIGNER -> passes(node);
            case CALC ->
                    always || node.takesBatches() || node.givesBatches()
                            ? null
                            : Reason.SINGLE_CALC.with();
            case EXCHANGE -> exchange(node);
            case GROUP_AGGREGATE, LOCAL_GROUP_AGGREGATE, GLOBAL_GROUP_AGGREGATE, OTHER -> null;
        };
    }

    private static Refusal passes(PlanNode node) {
        Refusal missing = needsInputs(node);
        return missing != null ? missing : needsReaders(node);
    }

    private static Refusal exchange(PlanNode node) {
        for (PlanNode producer : node.inputs()) {
            if (producer.consumers().size() > 1) {
                return Reason.SHARED_PRODUCER.with(producer.name());
            }
            if (producer.isNative() && !producer.kind().runsNatively()) {
                return Reason.NO_SPLIT.with(producer.name());
            }
        }
        return passes(node);
    }

    private static Refusal needsReaders(PlanNode node) {
        if (node.givesBatches()) {
            return null;
        }
        return node.consumers().stream()
                .filter(consumer -> !consumer.isNative())
                .findFirst()
                .map(consumer -> Reason.READ_BY_ROWS.with(consumer.name()))
                .orElseGet(() -> Reason.READ_BY_ROWS.with("nothing"));
    }

    private static Refusal needsInputs(PlanNode node) {
        return node.inputs().stream()
                .filter(input -> !input.givesBatches())
                .findFirst()
                .map(input -> Reason.READS_ROWS.with(input.name()))
                .orElse(null);
    }
}
