package io.streamfusion.state.memory.timer;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.registry.RegisteredState;
import io.streamfusion.state.memory.registry.StateRegistry;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyExtractorFunction;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.PriorityComparator;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.StateMigrationException;

/** Registers timer queues in the registry of a backend and creates them. */
public final class NativePriorityQueues implements PriorityQueueSetFactory {
    private final NativeStore store;
    private final StateRegistry registry;
    private final KeyGroupRange range;
    private final int numberOfKeyGroups;

    /** Creates the factory of one backend. */
    public NativePriorityQueues(
            NativeStore store, StateRegistry registry, KeyGroupRange range, int numberOfKeyGroups) {
        this.store = store;
        this.registry = registry;
        this.range = range;
        this.numberOfKeyGroups = numberOfKeyGroups;
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName, TypeSerializer<T> byteOrderedElementSerializer) {
        return create(stateName, byteOrderedElementSerializer, false);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName,
                    TypeSerializer<T> byteOrderedElementSerializer,
                    boolean allowFutureMetadataUpdates) {
        RegisteredState state =
                register(stateName, byteOrderedElementSerializer, allowFutureMetadataUpdates);
        KeyExtractorFunction<T> keyOf = KeyExtractorFunction.forKeyedObjects();
        NativePriorityQueueSet<T> rows =
                new NativePriorityQueueSet<>(
                        store,
                        state.id(),
                        byteOrderedElementSerializer,
                        keyOf,
                        range,
                        numberOfKeyGroups);
        TypeSerializer<?> plainType = byteOrderedElementSerializer;
        return plainType instanceof TimerSerializer<?, ?>
                ? rows
                : new ComparedPriorityQueueSet<>(
                        rows,
                        PriorityComparator.forPriorityComparableObjects(),
                        keyOf,
                        range,
                        numberOfKeyGroups);
    }

    private <T> RegisteredState register(
            String name, TypeSerializer<T> serializer, boolean upgradable) {
        RegisteredPriorityQueueStateBackendMetaInfo<T> metaInfo =
                new RegisteredPriorityQueueStateBackendMetaInfo<>(name, serializer);
        RegisteredState known = registry.get(name);
        if (known != null) {
            requireCompatible(known, serializer);
        }
        if (upgradable) {
            metaInfo = metaInfo.withSerializerUpgradesAllowed();
        }
        if (known == null) {
            return registry.register(metaInfo);
        }
        known.setMetaInfo(metaInfo);
        return known;
    }

    /** Elements are keys of their table and so never migrated. */
    private static <T> void requireCompatible(RegisteredState known, TypeSerializer<T> serializer) {
        if (!(known.metaInfo() instanceof RegisteredPriorityQueueStateBackendMetaInfo<?> present)) {
            throw new IllegalStateException(
                    "'" + known.name() + "' is a keyed state, not a timer queue.");
        }
        @SuppressWarnings("unchecked")
        RegisteredPriorityQueueStateBackendMetaInfo<T> restored =
                (RegisteredPriorityQueueStateBackendMetaInfo<T>) present;
        TypeSerializer<T> before = restored.getPreviousElementSerializer();
        if (restored.updateElementSerializer(serializer).isIncompatible()) {
            throw new FlinkRuntimeException(
                    new StateMigrationException(
                            String.format(
                                    "Timer queue '%s': elements written with %s cannot be read"
                                            + " with %s.",
                                    known.name(), before, serializer)));
        }
    }
}
