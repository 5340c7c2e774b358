package io.streamfusion.state.paimon.commit;

import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.snapshot.SavepointMatrixTest;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;

/** Canonical savepoints between our backends: the memory backend stands where hashmap stood. */
class PaimonAndMemorySavepointMatrixTest extends SavepointMatrixTest {
    @Override
    protected ConfigurableStateBackend create(Backends.Type type) {
        return switch (type) {
            case HASHMAP -> new StreamFusionMemoryStateBackend(true);
            case STREAMFUSION -> new StreamFusionPaimonStateBackend(true);
            case ROCKSDB -> super.create(type);
        };
    }
}
