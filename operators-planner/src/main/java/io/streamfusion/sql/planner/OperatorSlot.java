package io.streamfusion.sql.planner;

import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.runtime.NativeBatchTypeInfo;
import io.streamfusion.sql.runtime.NativeOperatorFactory;
import io.streamfusion.sql.runtime.StockStates;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.types.logical.RowType;

/**
 * A one-input transformation, whose operator a native one can replace.
 *
 * @param input rows that it takes
 * @param output rows that it gives
 */
record OperatorSlot(OneInputTransformation<?, ?> transformation, RowType input, RowType output) {

    /** Puts the operator of {@code plan} in place. */
    void fill(byte[] plan, Edge in, Edge out, PlanContext context, Changes changes) {
        fill(plan, in, out, null, context, changes);
    }

    /**
     * Puts the operator of {@code plan} in place.
     *
     * @param states of the stock operator; null when it has none
     */
    void fill(
            byte[] plan,
            Edge in,
            Edge out,
            StockStates states,
            PlanContext context,
            Changes changes) {
        NativeOperatorFactory factory =
                new NativeOperatorFactory(plan, input, output, in, out, context.settings(), states);
        factory.setChainingStrategy(transformation.getOperatorFactory().getChainingStrategy());
        changes.set(context.access().operatorFactory, transformation, factory);
        if (out == Edge.BATCHES) {
            giveBatches(transformation, output, context, changes);
        }
    }

    /** Makes batches what comes out of a transformation. */
    static void giveBatches(
            Transformation<?> transformation, RowType rows, PlanContext context, Changes changes) {
        changes.set(context.access().outputType, transformation, new NativeBatchTypeInfo(rows));
    }
}
