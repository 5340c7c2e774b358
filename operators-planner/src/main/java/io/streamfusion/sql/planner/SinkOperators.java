package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.Calc;
import io.streamfusion.plan.proto.DataType;
import io.streamfusion.plan.proto.Expression;
import io.streamfusion.plan.proto.NotNullEnforcer;
import io.streamfusion.plan.proto.Operator;
import io.streamfusion.sql.plan.PlanCheck;
import io.streamfusion.sql.plan.TypeEncoder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.table.runtime.operators.sink.StreamRecordTimestampInserter;
import org.apache.flink.table.runtime.operators.sink.constraint.ConstraintEnforcer;
import org.apache.flink.table.types.logical.RowType;

/** The operators that Flink's sink node puts before the sink itself. */
final class SinkOperators {
    /**
     * One of them.
     *
     * @param plan what runs natively in its place
     */
    @SuppressWarnings("ArrayRecordComponent") // A message; nobody compares.
    record Step(OperatorSlot slot, byte[] plan) {}

    private SinkOperators() {}

    /**
     * All of them, in the order of the rows.
     *
     * @param before what the sink node reads
     * @param rows what is written
     * @throws Refusal when one has no native form
     */
    @SuppressWarnings("ReferenceEquality") // Transformations are these very objects.
    static List<Step> between(
            Transformation<?> before,
            SinkTransformation<?, ?> sink,
            RowType rows,
            PlanContext context)
            throws Refusal {
        Deque<Step> steps = new ArrayDeque<>();
        Transformation<?> at = sink;
        while (at.getParallelism() == before.getParallelism()) {
            at = at.getInputs().get(0);
            if (at == before) {
                return List.copyOf(steps);
            }
            steps.addFirst(step(at, rows, context));
        }
        throw Reason.OWN_PARALLELISM.with();
    }

    private static Step step(Transformation<?> at, RowType rows, PlanContext context)
            throws Refusal {
        if (at instanceof OneInputTransformation<?, ?> transformation) {
            StreamOperatorFactory<?> factory = transformation.getOperatorFactory();
            StreamOperator<?> operator =
                    factory instanceof SimpleOperatorFactory<?> simple
                            ? simple.getOperator()
                            : null;
            Optional<Operator.Builder> plan = plan(operator, rows, context);
            if (plan.isPresent()) {
                byte[] bytes =
                        plan.get()
                                .setDescription(at.getName())
                                .setSession(context.session())
                                .build()
                                .toByteArray();
                context.check(PlanCheck.Kind.OPERATOR, bytes);
                return new Step(new OperatorSlot(transformation, rows, rows), bytes);
            }
        }
        throw Reason.SINK_OPERATOR.with(at.getName());
    }

    private static Optional<Operator.Builder> plan(
            StreamOperator<?> operator, RowType rows, PlanContext context) {
        if (operator instanceof ConstraintEnforcer enforcer) {
            return context.access()
                    .notNull(enforcer)
                    .map(
                            notNull ->
                                    Operator.newBuilder()
                                            .setNotNullEnforcer(
                                                    NotNullEnforcer.newBuilder()
                                                            .setInput(TypeEncoder.encode(rows))
                                                            .addAllColumns(
                                                                    Arrays.stream(notNull.columns())
                                                                            .boxed()
                                                                            .toList())
                                                            .setDrop(notNull.drop())));
        }
        // It sets the time of a record of the stream, and Kafka's table sink looks at no such time.
        if (operator instanceof StreamRecordTimestampInserter) {
            return Optional.of(Operator.newBuilder().setCalc(everything(rows)));
        }
        return Optional.empty();
    }

    private static Calc everything(RowType rows) {
        DataType type = TypeEncoder.encode(rows);
        Calc.Builder calc = Calc.newBuilder().setInput(type);
        for (int i = 0; i < type.getChildrenCount(); i++) {
            calc.addProjection(
                    Expression.newBuilder().setType(type.getChildren(i).getType()).setInput(i));
        }
        return calc.build();
    }
}
