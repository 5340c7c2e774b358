package io.streamfusion.state.memory.keyed;

import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.runtime.state.internal.InternalReducingState;

/** Reducing state: the reduced value's bytes are the row. */
final class NativeReducingState<K, N, V> extends MergingRowState<K, N, V, V, V>
        implements InternalReducingState<K, N, V> {
    private ReduceFunction<V> function;

    NativeReducingState(NativeKeyedStateBackend<K> backend, StateSpec<N, V> spec) {
        super(backend, spec);
        adopt(spec);
    }

    @Override
    @SuppressWarnings("unchecked")
    void adopt(StateSpec<N, V> spec) {
        super.adopt(spec);
        function = ((ReducingStateDescriptor<V>) spec.descriptor()).getReduceFunction();
    }

    @Override
    V append(@Nullable V present, V input) throws Exception {
        return present == null ? input : function.reduce(present, input);
    }

    @Override
    V merge(V first, V second) throws Exception {
        return function.reduce(first, second);
    }

    @Override
    V result(V present) {
        return present;
    }
}
