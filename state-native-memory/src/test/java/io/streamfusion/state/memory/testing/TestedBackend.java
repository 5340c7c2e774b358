package io.streamfusion.state.memory.testing;

import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.keyed.NativeKeyedStateBackend;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;

/** The backend that a test runs on; the tests of other backends replace it. */
public interface TestedBackend {
    /** The backend with its default options otherwise. */
    default NativeStateBackend backend(boolean incremental) {
        return new StreamFusionMemoryStateBackend(incremental);
    }

    /** Whether a file of a checkpoint holds rows, of those that are neither manifest nor copy. */
    default boolean holdsRows(Path file) {
        return true;
    }

    /** One of the backends that a test compares. */
    default StateBackend backend(Backends kind) {
        return kind == Backends.HASHMAP ? new HashMapStateBackend() : backend(true);
    }

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
