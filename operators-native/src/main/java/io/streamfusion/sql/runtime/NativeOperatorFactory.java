package io.streamfusion.sql.runtime;

import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.plan.BatchSettings;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.table.types.logical.RowType;

/**
 * Makes a native operator with one input. Whoever puts it in the place of a stock factory also sets
 * that one's chaining strategy.
 */
public final class NativeOperatorFactory extends AbstractStreamOperatorFactory<Object>
        implements OneInputStreamOperatorFactory<Object, Object> {
    private static final long serialVersionUID = 1L;

    private final NativeOperatorSpec spec;

    /**
     * Creates a factory.
     *
     * @param plan the bytes of a message {@code Operator}
     * @param inputEdge what comes in: rows of type {@code input}, or batches of them
     * @param outputEdge what goes out
     */
    public NativeOperatorFactory(
            byte[] plan,
            RowType input,
            RowType output,
            Edge inputEdge,
            Edge outputEdge,
            BatchSettings settings) {
        this(plan, input, output, inputEdge, outputEdge, settings, null);
    }

    /**
     * Creates a factory of operators with keyed state, in the place of stock's.
     *
     * @param states of the stock operator; null when it has none. The task's backend must be one of
     *     StreamFusion's then
     */
    public NativeOperatorFactory(
            byte[] plan,
            RowType input,
            RowType output,
            Edge inputEdge,
            Edge outputEdge,
            BatchSettings settings,
            StockStates states) {
        spec = new NativeOperatorSpec(plan, input, output, inputEdge, outputEdge, settings, states);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends StreamOperator<Object>> T createStreamOperator(
            StreamOperatorParameters<Object> parameters) {
        return (T) new NativeOneInputOperator(parameters, spec);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        return NativeOneInputOperator.class;
    }
}
