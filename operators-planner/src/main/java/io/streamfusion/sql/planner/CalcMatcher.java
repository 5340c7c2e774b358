package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.Calc;
import io.streamfusion.plan.proto.Operator;
import io.streamfusion.sql.plan.PlanCheck;
import io.streamfusion.sql.plan.TypeEncoder;
import java.util.Optional;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecCalc;
import org.apache.flink.table.types.logical.RowType;

/** Projections and filters. */
final class CalcMatcher implements Matcher {
    @Override
    public Candidate match(ExecNode<?> node, PlanContext context) throws Refusal {
        StreamExecCalc calc = (StreamExecCalc) node;
        RowType input = (RowType) calc.getInputEdges().get(0).getOutputType();
        Calc.Builder message = Calc.newBuilder().setInput(TypeEncoder.encode(input));
        Optional<RexNode> condition = context.access().condition(calc);
        if (condition.isPresent()) {
            message.setCondition(RexEncoder.encode(condition.get()));
        }
        for (RexNode projected : context.access().projection(calc)) {
            message.addProjection(RexEncoder.encode(projected));
        }
        byte[] plan =
                Operator.newBuilder()
                        .setDescription(calc.getDescription())
                        .setSession(context.session())
                        .setCalc(message)
                        .build()
                        .toByteArray();
        context.check(PlanCheck.Kind.OPERATOR, plan);
        OperatorSlot slot =
                new OperatorSlot(
                        (OneInputTransformation<?, ?>) calc.getTransformation(),
                        input,
                        (RowType) calc.getOutputType());
        return (in, out, changes) -> slot.fill(plan, in, out, context, changes);
    }
}
