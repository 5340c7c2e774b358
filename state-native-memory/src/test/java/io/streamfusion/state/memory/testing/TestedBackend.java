package io.streamfusion.state.memory.testing;

import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.keyed.NativeKeyedStateBackend;
import java.io.IOException;

/** The backend that Flink's suites run on; the suites of other backends replace it. */
public interface TestedBackend {
    /**
     * The backend with its default options otherwise.
     *
     * @param created learns of the keyed backends
     */
    default NativeStateBackend backend(boolean incremental, CreatedBackends created) {
        return new Remembering(incremental, created);
    }

    /** Tells which keyed backends it creates. */
    final class Remembering extends StreamFusionMemoryStateBackend {
        private static final long serialVersionUID = 1L;

        private final transient CreatedBackends created;

        private Remembering(boolean incremental, CreatedBackends created) {
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
