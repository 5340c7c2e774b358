package io.streamfusion.state.memory.snapshot;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/**
 * A frozen store as Flink writes it into a canonical savepoint: rows ordered by key group and
 * state.
 *
 * @param <K> type of the keys
 */
final class CanonicalSnapshotResources<K> implements FullSnapshotResources<K> {
    private final List<StateMetaInfoSnapshot> metaInfos;
    private final Map<Integer, Integer> indexOfState;
    private final KeyGroupRange keyGroupRange;
    private final int keyGroupPrefixBytes;
    private final TypeSerializer<K> keySerializer;
    private final StreamCompressionDecorator compression;
    private final SnapshotLease lease;
    private final Set<SnapshotLease> openSnapshots;

    /**
     * @param begin freezes the store; called last, so that nothing fails after it
     * @param openSnapshots where the snapshot is listed until it is released
     */
    CanonicalSnapshotResources(
            SnapshotContext<K> context,
            StreamCompressionDecorator compression,
            Supplier<SnapshotLease> begin,
            Set<SnapshotLease> openSnapshots) {
        this.metaInfos = List.copyOf(context.registry().snapshotMetaInfos());
        this.indexOfState = new HashMap<>();
        context.registry().states().forEach(s -> indexOfState.put(s.id(), indexOfState.size()));
        this.keyGroupRange = context.keyGroupRange();
        this.keyGroupPrefixBytes = context.keyGroupPrefixBytes();
        this.keySerializer = context.keySerializer();
        this.compression = compression;
        this.openSnapshots = openSnapshots;
        this.lease = begin.get();
    }

    @Override
    public List<StateMetaInfoSnapshot> getMetaInfoSnapshots() {
        return metaInfos;
    }

    @Override
    public KeyValueStateIterator createKVStateIterator() {
        return new CanonicalRowIterator(lease.begin(), indexOfState, keyGroupPrefixBytes);
    }

    @Override
    public KeyGroupRange getKeyGroupRange() {
        return keyGroupRange;
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return keySerializer;
    }

    @Override
    public StreamCompressionDecorator getStreamCompressionDecorator() {
        return compression;
    }

    @Override
    public void release() {
        lease.release();
        openSnapshots.remove(lease);
    }
}
