package io.streamfusion.state.memory.testing;

import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;

/** The backends that a test runs on: the stock one pins what ours has to do. */
public enum Backends {
    HASHMAP,
    STREAMFUSION_MEMORY;

    public StateBackend create() {
        return this == HASHMAP ? new HashMapStateBackend() : new StreamFusionMemoryStateBackend();
    }
}
