package io.streamfusion.state.memory.keyed;

import io.streamfusion.state.memory.metrics.StoreMetrics;
import io.streamfusion.state.memory.registry.StateRegistry;
import io.streamfusion.state.memory.snapshot.NativeSnapshotStrategy;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.InternalKeyContext;

/**
 * What a backend is put together from when its checkpoint has been restored.
 *
 * @param keySerializer current serializer of the keys, known after the restore only
 */
record BackendParts<K>(
        BackendResources resources,
        StateRegistry registry,
        TypeSerializer<K> keySerializer,
        InternalKeyContext<K> keyContext,
        NativeSnapshotStrategy<K> snapshots,
        StoreMetrics metrics) {}
