package io.streamfusion.state.memory.testing;

import io.streamfusion.state.memory.keyed.NativeKeyedStateBackend;
import java.util.ArrayList;
import java.util.List;

/**
 * The keyed backends that a test has created: tests of Flink's that expect a failure do not dispose
 * what they have opened.
 */
public final class CreatedBackends {
    private final List<NativeKeyedStateBackend<?>> created = new ArrayList<>();

    /** Remembers a backend and returns it. */
    public <K> NativeKeyedStateBackend<K> add(NativeKeyedStateBackend<K> backend) {
        created.add(backend);
        return backend;
    }

    /** Disposes whatever the test has left. */
    public void disposeAll() {
        created.forEach(NativeKeyedStateBackend::dispose);
        created.clear();
    }
}
