package io.streamfusion.state.memory.keyed;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalValueState;

/** Value state: the value's bytes are the row. */
final class NativeValueState<K, N, V> extends SingleRowState<K, N, V>
        implements InternalValueState<K, N, V> {

    NativeValueState(NativeKeyedStateBackend<K> backend, StateSpec<N, V> spec) {
        super(backend, spec);
        adopt(spec);
    }

    @Override
    @Nullable
    public V value() throws IOException {
        V value = read();
        return value == null ? copyOfDefault() : value;
    }

    @Override
    public void update(@Nullable V value) throws IOException {
        write(value);
    }
}
