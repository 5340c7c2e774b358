package io.streamfusion.state.memory.keyed;

import java.util.List;
import java.util.Map;

/** Creates the state object for each kind of state. */
final class StateObjects {
    private StateObjects() {}

    @SuppressWarnings("unchecked")
    static <K, N, V> AbstractNativeState<K, N, V> create(
            NativeKeyedStateBackend<K> backend, StateSpec<N, V> spec) {
        return switch (spec.descriptor().getType()) {
            case VALUE -> new NativeValueState<>(backend, spec);
            case REDUCING -> new NativeReducingState<>(backend, spec);
            case AGGREGATING -> new NativeAggregatingState<>(backend, spec);
            case LIST ->
                    (AbstractNativeState<K, N, V>)
                            new NativeListState<>(backend, (StateSpec<N, List<Object>>) spec);
            case MAP ->
                    (AbstractNativeState<K, N, V>)
                            new NativeMapState<>(backend, (StateSpec<N, Map<Object, Object>>) spec);
            default ->
                    throw new UnsupportedOperationException(
                            "State '"
                                    + spec.descriptor().getName()
                                    + "' of type "
                                    + spec.descriptor().getType()
                                    + " is not supported.");
        };
    }
}
