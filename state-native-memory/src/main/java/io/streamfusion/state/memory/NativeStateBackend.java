package io.streamfusion.state.memory;

import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.ffi.NativeLibrary;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.keyed.BackendForms;
import io.streamfusion.state.memory.keyed.BackendResources;
import io.streamfusion.state.memory.keyed.BackendSettings;
import io.streamfusion.state.memory.keyed.DisposingAsyncBackend;
import io.streamfusion.state.memory.keyed.NativeKeyedStateBackend;
import io.streamfusion.state.memory.keyed.NativeKeyedStateBackendBuilder;
import java.io.IOException;
import org.apache.flink.configuration.CheckpointingOptions;
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
 * What our state backends share: keyed state in native memory, within the slot's managed memory.
 * They differ in what their checkpoints consist of. Operator state is kept as by Flink's own
 * backends.
 *
 * <p>Configured by {@link StreamFusionOptions} and {@code execution.checkpointing.incremental},
 * which is on unless it is switched off explicitly.
 */
public abstract class NativeStateBackend extends AbstractManagedMemoryStateBackend
        implements ConfigurableStateBackend {
    private static final long serialVersionUID = 1L;

    private final TernaryBoolean incremental;
    private final MemoryConfiguration memory;
    private final int chunkBytes;
    private final BackendSettings settings;

    /**
     * Creates a backend.
     *
     * @param incremental whether checkpoints write only what changed; wins over {@code config}
     */
    protected NativeStateBackend(TernaryBoolean incremental, ReadableConfig config) {
        this.incremental = incremental;
        this.memory = MemoryConfiguration.from(config);
        this.chunkBytes = MemoryConfiguration.chunkBytes(config);
        this.settings =
                new BackendSettings(
                        incremental.getOrDefault(
                                config.getOptional(CheckpointingOptions.INCREMENTAL_CHECKPOINTS)
                                        .orElse(true)),
                        Math.max(1, config.get(StreamFusionOptions.RESTORE_THREADS)),
                        config.get(StreamFusionOptions.TTL_SWEEP));
    }

    /** What the checkpoints of one keyed backend consist of; one object per backend. */
    protected abstract BackendForms forms(KeyedStateBackendParameters<?> parameters)
            throws IOException;

    /** What the constructor was told; undefined: the configuration decides. */
    protected final TernaryBoolean incrementalAsCreated() {
        return incremental;
    }

    /** Gives a copy of this backend what the base class keeps of its configuration. */
    protected final <B extends NativeStateBackend> B configured(B copy, ReadableConfig config) {
        NativeStateBackend base = copy;
        base.latencyTrackingConfigBuilder = latencyTrackingConfigBuilder.configure(config);
        base.sizeTrackingConfigBuilder = sizeTrackingConfigBuilder.configure(config);
        return copy;
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
        // Before memory is taken, which the builder frees when it fails.
        BackendForms forms = forms(parameters);
        return new NativeKeyedStateBackendBuilder<>(
                        parameters,
                        allocate(parameters),
                        settings,
                        forms,
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
