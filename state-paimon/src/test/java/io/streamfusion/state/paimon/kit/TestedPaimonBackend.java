package io.streamfusion.state.paimon.kit;

import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.keyed.NativeKeyedStateBackend;
import io.streamfusion.state.memory.testing.CreatedBackends;
import io.streamfusion.state.memory.testing.TestedBackend;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import java.io.IOException;
import java.nio.file.Path;

/** Runs the tests of the memory backend on the one whose checkpoints are tables. */
public interface TestedPaimonBackend extends TestedBackend {
    @Override
    default NativeStateBackend backend(boolean incremental) {
        return new StreamFusionPaimonStateBackend(incremental);
    }

    /** The others are Paimon's metadata and deletion vectors. */
    @Override
    default boolean holdsRows(Path file) {
        return file.toString().endsWith(".parquet");
    }

    @Override
    default NativeStateBackend backend(boolean incremental, CreatedBackends created) {
        return new RememberingPaimon(incremental, created);
    }

    /** Tells which keyed backends it creates. */
    final class RememberingPaimon extends StreamFusionPaimonStateBackend {
        private static final long serialVersionUID = 1L;

        private final transient CreatedBackends created;

        private RememberingPaimon(boolean incremental, CreatedBackends created) {
            super(incremental);
            this.created = created;
        }

        @Override
        public <K> NativeKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws IOException {
            return created.add(super.createKeyedStateBackend(parameters));
        }
    }
}
