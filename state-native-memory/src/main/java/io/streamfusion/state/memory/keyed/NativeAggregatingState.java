package io.streamfusion.state.memory.keyed;

import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;

/** Aggregating state: the accumulator's bytes are the row. */
final class NativeAggregatingState<K, N, I, A, O> extends MergingRowState<K, N, I, A, O>
        implements InternalAggregatingState<K, N, I, A, O> {
    private AggregateFunction<I, A, O> function;

    NativeAggregatingState(NativeKeyedStateBackend<K> backend, StateSpec<N, A> spec) {
        super(backend, spec);
        adopt(spec);
    }

    @Override
    @SuppressWarnings("unchecked")
    void adopt(StateSpec<N, A> spec) {
        super.adopt(spec);
        function = ((AggregatingStateDescriptor<I, A, O>) spec.descriptor()).getAggregateFunction();
    }

    @Override
    A append(@Nullable A present, I input) {
        return function.add(input, present == null ? function.createAccumulator() : present);
    }

    @Override
    A merge(A first, A second) {
        return function.merge(first, second);
    }

    @Override
    O result(A present) {
        return function.getResult(present);
    }
}
