package io.streamfusion.sql.planner;

import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;

/** Looks whether a translated node of one kind can be native by itself. */
interface Matcher {
    /**
     * The native form. Nothing is changed yet.
     *
     * @throws Refusal when there is none
     */
    Candidate match(ExecNode<?> node, PlanContext context) throws Refusal;
}
