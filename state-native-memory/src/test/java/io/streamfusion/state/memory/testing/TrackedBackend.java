package io.streamfusion.state.memory.testing;

import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.keyed.NativeKeyedStateBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The backend, remembering the keyed backends it created: tests of Flink's that expect a failure do
 * not dispose what they have opened.
 */
public final class TrackedBackend extends StreamFusionMemoryStateBackend {
    private static final long serialVersionUID = 1L;

    private final transient List<NativeKeyedStateBackend<?>> created = new ArrayList<>();

    public TrackedBackend(boolean incremental) {
        super(incremental);
    }

    @Override
    public <K> NativeKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        NativeKeyedStateBackend<K> backend = super.createKeyedStateBackend(parameters);
        created.add(backend);
        return backend;
    }

    /** Disposes whatever the test has left. */
    public void disposeAll() {
        created.forEach(NativeKeyedStateBackend::dispose);
        created.clear();
    }
}
