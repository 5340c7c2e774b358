package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.metrics.StoreMetrics;
import io.streamfusion.state.memory.registry.StateRegistry;
import io.streamfusion.state.memory.restore.NativeRestoreOperation;
import io.streamfusion.state.memory.snapshot.NativeSnapshotStrategy;
import io.streamfusion.state.memory.snapshot.RestoredBase;
import io.streamfusion.state.memory.snapshot.SnapshotContext;
import io.streamfusion.state.memory.snapshot.SnapshotMetrics;
import io.streamfusion.state.memory.snapshot.SnapshotSettings;
import java.util.Optional;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.InternalKeyContextImpl;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.runtime.state.metrics.SizeTrackingStateConfig;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** Restores a checkpoint into an empty store and makes a keyed backend of it. */
public final class NativeKeyedStateBackendBuilder<K> extends AbstractKeyedStateBackendBuilder<K> {
    private static final String METRIC_GROUP = "streamfusion";

    private final BackendResources resources;
    private final BackendSettings settings;
    private final BackendForms forms;
    private final LocalRecoveryConfig localRecovery;
    private final MetricGroup metricGroup;

    /**
     * Creates a builder.
     *
     * @param parameters what Flink gives for this task
     * @param resources an empty store; freed when building fails, else owned by the backend
     * @param forms what checkpoints of the backend consist of
     */
    public NativeKeyedStateBackendBuilder(
            KeyedStateBackendParameters<K> parameters,
            BackendResources resources,
            BackendSettings settings,
            BackendForms forms,
            LatencyTrackingStateConfig latencyTracking,
            SizeTrackingStateConfig sizeTracking,
            StreamCompressionDecorator keyGroupCompression) {
        super(
                parameters.getKvStateRegistry(),
                parameters.getKeySerializer(),
                parameters.getEnv().getUserCodeClassLoader().asClassLoader(),
                parameters.getNumberOfKeyGroups(),
                parameters.getKeyGroupRange(),
                parameters.getEnv().getExecutionConfig(),
                parameters.getTtlTimeProvider(),
                latencyTracking,
                sizeTracking,
                parameters.getStateHandles(),
                keyGroupCompression,
                parameters.getCancelStreamRegistry());
        this.resources = resources;
        this.settings = settings;
        this.forms = forms;
        this.localRecovery = parameters.getEnv().getTaskStateManager().createLocalRecoveryConfig();
        this.metricGroup = parameters.getMetricGroup();
    }

    @Override
    public NativeKeyedStateBackend<K> build() throws BackendBuildingException {
        try {
            return restoreAndBuild();
        } catch (Throwable failure) {
            resources.close();
            if (failure instanceof BackendBuildingException building) {
                throw building;
            }
            throw new BackendBuildingException(
                    "The keyed state of this task cannot be restored: " + failure.getMessage(),
                    failure);
        }
    }

    private NativeKeyedStateBackend<K> restoreAndBuild() throws Exception {
        NativeStore store = resources.store();
        resources.closeAfterStore(forms.form().prepare(store));
        StateRegistry registry = new StateRegistry(store);
        Optional<RestoredBase> base =
                new NativeRestoreOperation<>(
                                store,
                                registry,
                                keyGroupRange,
                                numberOfKeyGroups,
                                keySerializerProvider,
                                userCodeClassLoader,
                                cancelStreamRegistry,
                                restoreStateHandles,
                                forms.readers(),
                                settings.restoreThreads(),
                                settings.incremental())
                        .restore();
        // Only now: the serializer of the checkpoint may have reconfigured the registered one.
        TypeSerializer<K> keySerializer = keySerializerProvider.currentSchemaSerializer();
        SnapshotMetrics snapshotMetrics = new SnapshotMetrics();
        StoreMetrics storeMetrics = new StoreMetrics();
        MetricGroup group = metricGroup.addGroup(METRIC_GROUP);
        snapshotMetrics.register(group);
        storeMetrics.register(group);
        NativeSnapshotStrategy<K> snapshots =
                new NativeSnapshotStrategy<>(
                        new SnapshotContext<>(
                                store,
                                registry,
                                keySerializer,
                                keyGroupRange,
                                numberOfKeyGroups,
                                localRecovery),
                        new SnapshotSettings(settings.incremental(), forms.form()),
                        base,
                        ttlTimeProvider::currentTimestamp,
                        snapshotMetrics);
        return new NativeKeyedStateBackend<>(
                this,
                new BackendParts<>(
                        resources,
                        registry,
                        keySerializer,
                        new InternalKeyContextImpl<>(keyGroupRange, numberOfKeyGroups),
                        snapshots,
                        storeMetrics));
    }

    // ---- what the backend hands to its base class

    TaskKvStateRegistry kvStateRegistry() {
        return kvStateRegistry;
    }

    ClassLoader userCodeClassLoader() {
        return userCodeClassLoader;
    }

    ExecutionConfig executionConfig() {
        return executionConfig;
    }

    TtlTimeProvider timeProvider() {
        return ttlTimeProvider;
    }

    LatencyTrackingStateConfig latencyTracking() {
        return latencyTrackingStateConfig;
    }

    SizeTrackingStateConfig sizeTracking() {
        return sizeTrackingStateConfig;
    }

    StreamCompressionDecorator keyGroupCompression() {
        return keyGroupCompressionDecorator;
    }

    BackendSettings settings() {
        return settings;
    }

    String backendType() {
        return forms.form().backendType();
    }
}
