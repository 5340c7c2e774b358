package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.AggregateCall;
import io.streamfusion.plan.proto.GroupAggregate;
import io.streamfusion.plan.proto.GroupAggregate.Phase;
import io.streamfusion.plan.proto.Operator;
import io.streamfusion.sql.plan.PlanCheck;
import io.streamfusion.sql.plan.TypeEncoder;
import io.streamfusion.sql.runtime.KeyedBackends;
import io.streamfusion.sql.runtime.StockStates;
import java.util.Locale;
import java.util.Optional;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.functions.BuiltInFunctionDefinition;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.functions.bridging.BridgingSqlAggFunction;
import org.apache.flink.table.planner.functions.utils.AggSqlFunction;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.utils.MinibatchUtil;
import org.apache.flink.table.types.logical.RowType;

/** GROUP BY without windows, in one phase or two. */
final class AggregateMatcher implements Matcher {
    private final Phase phase;

    AggregateMatcher(Phase phase) {
        this.phase = phase;
    }

    @Override
    public Candidate match(ExecNode<?> node, PlanContext context) throws Refusal {
        ExecNodeBase<?> exec = (ExecNodeBase<?>) node;
        OneInputTransformation<?, ?> transformation =
                (OneInputTransformation<?, ?>) exec.getTransformation();
        StockStates states = phase == Phase.LOCAL ? null : states(transformation, context);
        byte[] plan =
                Operator.newBuilder()
                        .setDescription(node.getDescription())
                        .setSession(context.session())
                        .setGroupAggregate(aggregate(exec, context))
                        .build()
                        .toByteArray();
        context.check(PlanCheck.Kind.OPERATOR, plan);
        OperatorSlot slot =
                new OperatorSlot(
                        transformation,
                        (RowType) node.getInputEdges().get(0).getOutputType(),
                        (RowType) node.getOutputType());
        return (in, out, changes) -> slot.fill(plan, in, out, states, context, changes);
    }

    private static StockStates states(
            OneInputTransformation<?, ?> transformation, PlanContext context) throws Refusal {
        Optional<String> reason = KeyedBackends.reasonAgainst(context.config());
        if (reason.isPresent()) {
            throw Reason.NOT_SUPPORTED.with(reason.get());
        }
        try {
            return StockStates.of(transformation.getOperatorFactory());
        } catch (IllegalArgumentException e) {
            throw Reason.NOT_SUPPORTED.with(e.getMessage());
        }
    }

    private GroupAggregate aggregate(ExecNodeBase<?> node, PlanContext context) throws Refusal {
        AggregateFields.Values values = context.access().aggregate(node);
        ExecNodeConfig config = context.access().config(node, context.flink().getTableConfig());
        GroupAggregate.Builder message =
                GroupAggregate.newBuilder()
                        .setInput(TypeEncoder.encode(node.getInputEdges().get(0).getOutputType()))
                        .setPhase(phase)
                        .setGenerateUpdateBefore(values.updateBefore())
                        .setNeedsRetraction(values.needRetraction())
                        .setRecordCounter(values.countStar().orElse(-1))
                        .setOutput(TypeEncoder.encode(node.getOutputType()));
        for (int column : values.grouping()) {
            message.addGrouping(column);
        }
        for (int i = 0; i < values.calls().length; i++) {
            message.addCalls(call(values.calls()[i], values.retractions()[i]));
        }
        if (MinibatchUtil.isMiniBatchEnabled(config)) {
            message.setMiniBatchSize(MinibatchUtil.miniBatchSize(config));
        }
        if (phase != Phase.LOCAL) {
            message.setStateTtlMillis(
                    Math.max(
                            0,
                            StateMetadata.getStateTtlForOneInputOperator(config, values.states())));
        }
        values.localInput().ifPresent(type -> message.setLocalInput(TypeEncoder.encode(type)));
        return message.build();
    }

    private static AggregateCall call(
            org.apache.calcite.rel.core.AggregateCall call, boolean retract) throws Refusal {
        if (call.isApproximate()
                || call.ignoreNulls()
                || !call.getCollation().getFieldCollations().isEmpty()) {
            throw Reason.EXPRESSION.with(call);
        }
        return AggregateCall.newBuilder()
                .setFunction(name(call.getAggregation()))
                .addAllArguments(call.getArgList())
                .setFilter(call.filterArg)
                .setDistinct(call.isDistinct())
                .setRetract(retract)
                .setType(TypeEncoder.encode(FlinkTypeFactory.toLogicalType(call.getType())))
                .build();
    }

    /** Flink's older class for users' functions is still made. */
    @SuppressWarnings("deprecation")
    private static String name(SqlAggFunction function) throws Refusal {
        boolean users =
                function instanceof BridgingSqlAggFunction bridging
                        ? !(bridging.getDefinition() instanceof BuiltInFunctionDefinition)
                        : function instanceof AggSqlFunction;
        if (users) {
            throw Reason.USER_FUNCTION.with(function.getName());
        }
        return function.getName().toUpperCase(Locale.ROOT);
    }
}
