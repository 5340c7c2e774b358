package io.streamfusion.state.paimon;

import io.streamfusion.state.memory.NativeStateBackendFactory;

/** Creates the {@code streamfusion-paimon} state backend. */
public class StreamFusionPaimonStateBackendFactory extends NativeStateBackendFactory {
    /** Called by Flink, by name. */
    public StreamFusionPaimonStateBackendFactory() {
        super("streamfusion-paimon", "io.streamfusion.state.paimon.StreamFusionPaimonStateBackend");
    }
}
