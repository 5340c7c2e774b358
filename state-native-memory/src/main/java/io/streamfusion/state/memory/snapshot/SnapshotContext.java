package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.registry.StateRegistry;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;

/**
 * The backend as its snapshots see it.
 *
 * @param <K> type of the keys
 * @param store holds the rows; owned by the backend
 * @param registry what is registered; read on the task thread only
 * @param keySerializer current serializer of the keys
 * @param keyGroupRange key groups of this backend
 * @param numberOfKeyGroups maximum parallelism of the job
 * @param localRecovery whether and where to keep copies on the local disk
 */
public record SnapshotContext<K>(
        NativeStore store,
        StateRegistry registry,
        TypeSerializer<K> keySerializer,
        KeyGroupRange keyGroupRange,
        int numberOfKeyGroups,
        LocalRecoveryConfig localRecovery) {

    /** Bytes of the key group at the start of a canonical key. */
    int keyGroupPrefixBytes() {
        return CompositeKeySerializationUtils.computeRequiredBytesInKeyGroupPrefix(
                numberOfKeyGroups);
    }
}
