package io.streamfusion.state.memory.keyed;

import java.io.IOException;
import org.apache.flink.runtime.state.v2.adaptor.AsyncKeyedStateBackendAdaptor;

/**
 * Serves State V2 with a synchronous keyed backend, as Flink's adaptor does, and passes on its end:
 * Flink's adaptor never disposes what it wraps, and native memory would stay.
 */
public final class DisposingAsyncBackend<K> extends AsyncKeyedStateBackendAdaptor<K> {
    private final NativeKeyedStateBackend<K> wrapped;

    /** Wraps a backend and owns it. */
    public DisposingAsyncBackend(NativeKeyedStateBackend<K> wrapped) {
        super(wrapped);
        this.wrapped = wrapped;
    }

    @Override
    public void dispose() {
        wrapped.dispose();
    }

    @Override
    public void close() throws IOException {
        wrapped.close();
    }
}
