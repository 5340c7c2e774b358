package io.streamfusion.state.memory;

import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.ffi.NativeLibrary;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.keyed.BackendResources;
import io.streamfusion.state.memory.keyed.BackendSettings;
import io.streamfusion.state.memory.keyed.DisposingAsyncBackend;
import io.streamfusion.state.memory.keyed.NativeKeyedStateBackend;
import io.streamfusion.state.memory.keyed.NativeKeyedStateBackendBuilder;
import java.io.IOException;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;
import org.apache.flink.runtime.state.AbstractManagedMemoryStateBackend;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.DefaultOperatorStateBackendBuilder;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.util.TernaryBoolean;

/**
 * Keeps keyed state in native memory, within the slot's managed memory, and writes incremental
 * checkpoints of immutable segment files. Operator state is kept as by Flink's own backends.
 *
 * <p>Configured by {@link StreamFusionOptions} and {@code execution.checkpointing.incremental},
 * which is on unless it is switched off explicitly.
 */
public class StreamFusionMemoryStateBackend extends AbstractManagedMemoryStateBackend
        implements ConfigurableStateBackend {
    private static final long serialVersionUID = 1L;

    private final TernaryBoolean incremental;
    private final MemoryConfiguration memory;
    private final int chunkBytes;
    private final BackendSettings settings;

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
        this.incremental = incremental;
        this.memory = MemoryConfiguration.from(config);
        this.chunkBytes = MemoryConfiguration.chunkBytes(config);
        this.settings =
                new BackendSettings(
                        incremental.getOrDefault(
                                config.getOptional(CheckpointingOptions.INCREMENTAL_CHECKPOINTS)
                                        .orElse(true)),
                        config.get(StreamFusionOptions.CHECKPOINT_COMPRESSION),
                        Math.max(1, config.get(StreamFusionOptions.RESTORE_THREADS)),
                        config.get(StreamFusionOptions.TTL_SWEEP));
    }

    /** A copy of this backend with the options of {@code config}. */
    @Override
    public StreamFusionMemoryStateBackend configure(
            ReadableConfig config, ClassLoader classLoader) {
        StreamFusionMemoryStateBackend configured =
                new StreamFusionMemoryStateBackend(incremental, config);
        configured.latencyTrackingConfigBuilder = latencyTrackingConfigBuilder.configure(config);
        configured.sizeTrackingConfigBuilder = sizeTrackingConfigBuilder.configure(config);
        return configured;
    }

    @Override
    public String getName() {
        return NativeKeyedStateBackend.TYPE;
    }

    @Override
    public boolean supportsNoClaimRestoreMode() {
        return true;
    }

    @Override
    public boolean supportsSavepointFormat(SavepointFormatType formatType) {
        return true;
    }

    /** Whether checkpoints write only what changed since the last completed one. */
    public boolean isIncremental() {
        return settings.incremental();
    }

    @Override
    public <K> NativeKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        return new NativeKeyedStateBackendBuilder<>(
                        parameters,
                        allocate(parameters),
                        settings,
                        latencyTrackingConfigBuilder
                                .setMetricGroup(parameters.getMetricGroup())
                                .build(),
                        sizeTrackingConfigBuilder
                                .setMetricGroup(parameters.getMetricGroup())
                                .build(),
                        getCompressionDecorator(parameters.getEnv().getExecutionConfig()))
                .build();
    }

    private BackendResources allocate(KeyedStateBackendParameters<?> parameters)
            throws IOException {
        NativeLibrary.load();
        OpaqueMemoryResource<NativeBudget> lease;
        try {
            lease =
                    memory.acquire(
                            parameters.getEnv().getMemoryManager(),
                            parameters.getManagedMemoryFraction());
        } catch (Exception e) {
            throw new IOException("There is no memory for native state in this slot.", e);
        }
        try {
            NativeBudget budget = lease.getResourceHandle();
            KeyGroupRange range = parameters.getKeyGroupRange();
            NativeStore store =
                    NativeStore.create(
                            budget,
                            Math.max(parameters.getNumberOfKeyGroups(), range.getEndKeyGroup() + 1),
                            range.getStartKeyGroup(),
                            range.getEndKeyGroup(),
                            chunkBytes);
            return new BackendResources(store, budget, lease);
        } catch (Throwable failure) {
            try {
                lease.close();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
            throw failure;
        }
    }

    /** True, so that the backend that serves State V2 is one that frees its native memory. */
    @Override
    public boolean supportsAsyncKeyedStateBackend() {
        return true;
    }

    @Override
    public <K> AsyncKeyedStateBackend<K> createAsyncKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        return new DisposingAsyncBackend<>(createKeyedStateBackend(parameters));
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(
            OperatorStateBackendParameters parameters) throws Exception {
        boolean asynchronous = true;
        return new DefaultOperatorStateBackendBuilder(
                        parameters.getEnv().getUserCodeClassLoader().asClassLoader(),
                        parameters.getEnv().getExecutionConfig(),
                        asynchronous,
                        parameters.getStateHandles(),
                        parameters.getCancelStreamRegistry())
                .build();
    }
}
