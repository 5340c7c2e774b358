package io.streamfusion.sql.planner;

import org.apache.flink.api.dag.Transformation;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecMiniBatchAssigner;
import org.apache.flink.table.types.logical.RowType;

/**
 * The operator that turns watermarks into bundles. It looks at no element, so Flink's own stays and
 * batches pass it.
 */
final class MiniBatchAssignerMatcher implements Matcher {
    @Override
    public Candidate match(ExecNode<?> node, PlanContext context) throws Refusal {
        context.checkChaining();
        StreamExecMiniBatchAssigner assigner = (StreamExecMiniBatchAssigner) node;
        Transformation<?> transformation = assigner.getTransformation();
        RowType rows = (RowType) assigner.getOutputType();
        return (in, out, changes) ->
                OperatorSlot.giveBatches(transformation, rows, context, changes);
    }
}
