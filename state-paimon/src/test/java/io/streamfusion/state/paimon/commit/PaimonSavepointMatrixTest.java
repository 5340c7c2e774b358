package io.streamfusion.state.paimon.commit;

import io.streamfusion.state.memory.snapshot.SavepointMatrixTest;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;

/** Canonical savepoints between this backend, hashmap and rocksdb. */
class PaimonSavepointMatrixTest extends SavepointMatrixTest {
    @Override
    protected ConfigurableStateBackend create(Backends.Type type) {
        return type == Backends.Type.STREAMFUSION
                ? new StreamFusionPaimonStateBackend(true)
                : super.create(type);
    }
}
