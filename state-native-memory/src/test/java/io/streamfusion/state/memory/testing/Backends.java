package io.streamfusion.state.memory.testing;

import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import java.util.function.Supplier;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;

/** The backends that a test runs on: the stock one pins what ours has to do. */
public enum Backends {
    HASHMAP(HashMapStateBackend::new),
    STREAMFUSION_MEMORY(StreamFusionMemoryStateBackend::new);

    private final Supplier<StateBackend> creator;

    Backends(Supplier<StateBackend> creator) {
        this.creator = creator;
    }

    public StateBackend create() {
        return creator.get();
    }
}
