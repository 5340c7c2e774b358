package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.registry.RegisteredState;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.restore.FullSnapshotRestoreOperation;
import org.apache.flink.runtime.state.restore.KeyGroup;
import org.apache.flink.runtime.state.restore.KeyGroupEntry;
import org.apache.flink.runtime.state.restore.SavepointRestoreResult;
import org.apache.flink.runtime.state.restore.ThrowingIterator;

/** Restores from canonical savepoints of any backend, row by row on the calling thread. */
final class CanonicalRestore<K> {
    private static final int NEXT_FREE_ID = -1;

    private final RestoreTarget<K> target;
    private final Collection<KeyedStateHandle> handles;
    private final int keyGroupPrefixBytes;

    /** A state of the savepoint: where its rows go. */
    private record Destination(RegisteredState state, MapKeyPrefix mapKeyPrefix) {}

    CanonicalRestore(RestoreTarget<K> target, Collection<KeyedStateHandle> handles) {
        this.target = target;
        this.handles = handles;
        this.keyGroupPrefixBytes =
                CompositeKeySerializationUtils.computeRequiredBytesInKeyGroupPrefix(
                        target.numberOfKeyGroups());
    }

    void restore() throws Exception {
        FullSnapshotRestoreOperation<K> savepoint =
                new FullSnapshotRestoreOperation<>(
                        target.keyGroupRange(),
                        target.userClassLoader(),
                        handles,
                        target.keySerializer());
        try (ThrowingIterator<SavepointRestoreResult> parts = savepoint.restore()) {
            while (parts.hasNext()) {
                restorePart(parts.next());
            }
        }
    }

    private void restorePart(SavepointRestoreResult part) throws Exception {
        List<Destination> destinations = new ArrayList<>();
        try (ThrowingIterator<KeyGroup> keyGroups = part.getRestoredKeyGroups()) {
            for (StateMetaInfoSnapshot state : part.getStateMetaInfoSnapshots()) {
                destinations.add(destination(state));
            }
            while (keyGroups.hasNext()) {
                if (target.cancellation().isClosed()) {
                    throw new CancellationException("The restore was cancelled.");
                }
                restoreKeyGroup(keyGroups.next(), destinations);
            }
        }
    }

    private Destination destination(StateMetaInfoSnapshot snapshot) throws Exception {
        RegisteredState state = target.registry().registerRestored(snapshot, NEXT_FREE_ID);
        MapKeyPrefix prefix =
                state.metaInfo() instanceof RegisteredKeyValueStateBackendMetaInfo<?, ?> metaInfo
                        ? new MapKeyPrefix(
                                target.keySerializer().previousSchemaSerializer(),
                                metaInfo.getPreviousNamespaceSerializer())
                        : null;
        return new Destination(state, prefix);
    }

    private void restoreKeyGroup(KeyGroup keyGroup, List<Destination> destinations)
            throws Exception {
        try (ThrowingIterator<KeyGroupEntry> rows = keyGroup.getKeyGroupEntries()) {
            while (rows.hasNext()) {
                KeyGroupEntry row = rows.next();
                if (row.getKvStateId() >= destinations.size()) {
                    throw new IOException(
                            "The savepoint has a row of the unknown state " + row.getKvStateId());
                }
                put(destinations.get(row.getKvStateId()), keyGroup.getKeyGroupId(), row);
            }
        }
    }

    private void put(Destination destination, int keyGroup, KeyGroupEntry row) throws IOException {
        NativeStore store = target.store();
        int state = destination.state().id();
        int keyLength = row.getKey().length - keyGroupPrefixBytes;
        MemorySegment key = MemorySegment.ofArray(row.getKey()).asSlice(keyGroupPrefixBytes);
        MemorySegment value = MemorySegment.ofArray(row.getValue());
        int valueLength = row.getValue().length;
        switch (destination.state().kind()) {
            case VALUE -> store.valuePut(state, keyGroup, key, keyLength, value, valueLength);
            case LIST -> store.listPut(state, keyGroup, key, keyLength, value, valueLength);
            case MAP -> {
                int prefix = destination.mapKeyPrefix().length(row.getKey(), keyGroupPrefixBytes);
                store.mapPut(state, keyGroup, key, prefix, keyLength, value, valueLength);
            }
            case TIMER -> store.timerAdd(state, keyGroup, key, keyLength);
        }
    }
}
