package io.streamfusion.state.memory;

/** Creates the {@code streamfusion-memory} state backend. */
public class StreamFusionMemoryStateBackendFactory extends NativeStateBackendFactory {
    /** Called by Flink, by name. */
    public StreamFusionMemoryStateBackendFactory() {
        super("streamfusion-memory", "io.streamfusion.state.memory.StreamFusionMemoryStateBackend");
    }
}
