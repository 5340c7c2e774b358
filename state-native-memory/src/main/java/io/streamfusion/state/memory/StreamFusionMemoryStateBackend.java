package io.streamfusion.state.memory;

import io.streamfusion.ffi.NativeCompression;
import io.streamfusion.state.memory.keyed.BackendForms;
import io.streamfusion.state.memory.restore.SegmentFormReader;
import io.streamfusion.state.memory.snapshot.SegmentForm;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.util.TernaryBoolean;

/**
 * Keeps keyed state in native memory, within the slot's managed memory, and writes incremental
 * checkpoints of immutable segment files.
 */
public class StreamFusionMemoryStateBackend extends NativeStateBackend {
    private static final long serialVersionUID = 2L;

    private static final String TYPE = "streamfusion-memory";

    private final NativeCompression compression;

    /** Creates a backend with the default options. */
    public StreamFusionMemoryStateBackend() {
        this(TernaryBoolean.UNDEFINED, new Configuration());
    }

    /**
     * Creates a backend with the default options otherwise.
     *
     * @param incremental whether checkpoints write only what changed; wins over the configuration
     */
    public StreamFusionMemoryStateBackend(boolean incremental) {
        this(TernaryBoolean.fromBoolean(incremental), new Configuration());
    }

    private StreamFusionMemoryStateBackend(TernaryBoolean incremental, ReadableConfig config) {
        super(incremental, config);
        this.compression = config.get(StreamFusionOptions.CHECKPOINT_COMPRESSION);
    }

    /** A copy of this backend with the options of {@code config}. */
    @Override
    public StreamFusionMemoryStateBackend configure(
            ReadableConfig config, ClassLoader classLoader) {
        return configured(
                new StreamFusionMemoryStateBackend(incrementalAsCreated(), config), config);
    }

    @Override
    public String getName() {
        return TYPE;
    }

    @Override
    protected BackendForms forms(KeyedStateBackendParameters<?> parameters) {
        return new BackendForms(
                new SegmentForm(TYPE, compression), List.of(new SegmentFormReader(true)));
    }
}
