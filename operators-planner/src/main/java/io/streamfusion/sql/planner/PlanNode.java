package io.streamfusion.sql.planner;

import java.util.ArrayList;
import java.util.List;

/** A node of the plan on its way to a decision. Not for use by several threads. */
final class PlanNode {
    private final String name;
    private final NativeKind kind;
    private final List<PlanNode> inputs;
    private final List<PlanNode> consumers = new ArrayList<>();
    private Candidate candidate;
    private String refusal;

    /**
     * A node that nothing reads yet.
     *
     * @param name what reasons of its neighbours call it
     */
    PlanNode(String name, NativeKind kind, List<PlanNode> inputs) {
        this.name = name;
        this.kind = kind;
        this.inputs = List.copyOf(inputs);
        this.inputs.forEach(input -> input.consumers.add(this));
    }

    String name() {
        return name;
    }

    NativeKind kind() {
        return kind;
    }

    List<PlanNode> inputs() {
        return inputs;
    }

    List<PlanNode> consumers() {
        return consumers;
    }

    void propose(Candidate proposed) {
        this.candidate = proposed;
    }

    void refuse(Refusal reason) {
        this.refusal = reason.getMessage();
    }

    /** What it would be natively; null when no matcher had an answer. */
    Candidate candidate() {
        return candidate;
    }

    /** Why it stays on Flink; null for a native one. */
    String refusal() {
        return refusal;
    }

    boolean isNative() {
        return candidate != null && refusal == null;
    }

    /** Whether everything that reads it reads batches; false when nothing does. */
    boolean givesBatches() {
        return isNative()
                && !consumers.isEmpty()
                && consumers.stream().allMatch(PlanNode::isNative);
    }

    /** Whether all its inputs give batches; false when it has none. */
    boolean takesBatches() {
        return isNative() && !inputs.isEmpty() && inputs.stream().allMatch(PlanNode::givesBatches);
    }
}
