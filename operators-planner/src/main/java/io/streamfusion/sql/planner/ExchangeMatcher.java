package io.streamfusion.sql.planner;

import io.streamfusion.sql.exchange.NativeChannelPartitioner;
import java.util.Optional;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty.HashDistribution;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty.RequiredDistribution;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecExchange;
import org.apache.flink.table.types.logical.RowType;

/** Ways between tasks: the operator before one splits batches, the partitioner sends the parts. */
final class ExchangeMatcher implements Matcher {
    @Override
    public Candidate match(ExecNode<?> node, PlanContext context) throws Refusal {
        StreamExecExchange exchange = (StreamExecExchange) node;
        PartitionTransformation<?> transformation =
                (PartitionTransformation<?>) exchange.getTransformation();
        RowType rows = (RowType) exchange.getOutputType();
        RequiredDistribution distribution =
                exchange.getInputProperties().get(0).getRequiredDistribution();
        int[] keys = distribution instanceof HashDistribution hash ? hash.getKeys() : new int[0];
        StreamPartitioner<?> stock = transformation.getPartitioner();
        Optional<String> reason = NativeChannelPartitioner.reasonAgainst(stock, rows, keys);
        if (reason.isPresent()) {
            throw Reason.NOT_SUPPORTED.with(reason.get());
        }
        StreamPartitioner<Object> partitioner = NativeChannelPartitioner.of(stock, rows, keys);
        return (in, out, changes) -> {
            changes.set(context.access().partitioner, transformation, partitioner);
            OperatorSlot.giveBatches(transformation, rows, context, changes);
        };
    }
}
