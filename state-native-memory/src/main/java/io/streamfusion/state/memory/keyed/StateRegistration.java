package io.streamfusion.state.memory.keyed;

import io.streamfusion.state.memory.registry.RegisteredState;
import io.streamfusion.state.memory.registry.StateRegistry;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.util.StateMigrationException;

/**
 * Registers keyed states with a backend's registry: new ones, and restored ones whose serializers
 * are checked against those of the checkpoint and whose values are rewritten when that is needed.
 */
final class StateRegistration {
    private final StateRegistry registry;
    private final NativeKeyedStateBackend<?> backend;
    private final Map<Integer, ListExpiry> listExpiryOfState = new HashMap<>();

    StateRegistration(StateRegistry registry, NativeKeyedStateBackend<?> backend) {
        this.registry = registry;
        this.backend = backend;
    }

    /**
     * Registers a state under the descriptor's name, or updates the one that is there.
     *
     * @param upgradable keep the serializers as if they came from a checkpoint, so that the state
     *     may be registered once more with newer ones
     * @return what the state object is to be made of
     * @throws StateMigrationException when the checkpoint's data cannot be read with the new
     *     serializers
     */
    <N, V> StateSpec<N, V> register(
            StateDescriptor<?, V> descriptor,
            TypeSerializer<N> namespaceSerializer,
            boolean upgradable)
            throws StateMigrationException {
        RegisteredState known = registry.get(descriptor.getName());
        RegisteredState state;
        if (known == null) {
            RegisteredKeyValueStateBackendMetaInfo<N, V> metaInfo =
                    new RegisteredKeyValueStateBackendMetaInfo<>(
                            descriptor.getType(),
                            descriptor.getName(),
                            namespaceSerializer,
                            descriptor.getSerializer());
            state =
                    registry.register(
                            upgradable ? metaInfo.withSerializerUpgradesAllowed() : metaInfo);
        } else {
            state = known;
            update(state, descriptor, namespaceSerializer);
            if (upgradable) {
                state.setMetaInfo(state.metaInfo().withSerializerUpgradesAllowed());
            }
        }
        StateSpec<N, V> spec = spec(state, descriptor);
        if (!upgradable) {
            configureTtl(spec);
        }
        return spec;
    }

    private <N, V> void update(
            RegisteredState state,
            StateDescriptor<?, V> descriptor,
            TypeSerializer<N> namespaceSerializer)
            throws StateMigrationException {
        RegisteredKeyValueStateBackendMetaInfo<N, V> metaInfo = keyValue(state);
        TypeSerializer<N> namespaceBefore = metaInfo.getNamespaceSerializer();
        TypeSerializerSchemaCompatibility<N> namespaceFits =
                metaInfo.updateNamespaceSerializer(namespaceSerializer);
        if (namespaceFits.isCompatibleAfterMigration() || namespaceFits.isIncompatible()) {
            throw new StateMigrationException(
                    String.format(
                            "State '%s': namespaces written with %s cannot be read with %s; they"
                                    + " are part of the key and are never migrated.",
                            descriptor.getName(), namespaceBefore, namespaceSerializer));
        }
        metaInfo.checkStateMetaInfo(descriptor);
        // The serializer before the update: an incompatible one makes it inaccessible.
        TypeSerializer<V> valueBefore = metaInfo.getStateSerializer();
        TypeSerializerSchemaCompatibility<V> valueFits =
                metaInfo.updateStateSerializer(descriptor.getSerializer());
        if (valueFits.isIncompatible()) {
            throw new StateMigrationException(
                    String.format(
                            "State '%s': values written with %s cannot be read with %s.",
                            descriptor.getName(), valueBefore, descriptor.getSerializer()));
        }
        if (valueFits.isCompatibleAfterMigration()) {
            new ValueMigration(backend).migrate(spec(state, descriptor), metaInfo);
        }
    }

    private static <N, V> StateSpec<N, V> spec(
            RegisteredState state, StateDescriptor<?, V> descriptor) {
        RegisteredKeyValueStateBackendMetaInfo<N, V> metaInfo = keyValue(state);
        return new StateSpec<>(
                state.id(),
                descriptor,
                metaInfo.getNamespaceSerializer(),
                metaInfo.getStateSerializer());
    }

    /** Tells the store where the last access is stamped in the rows of a state with TTL. */
    private void configureTtl(StateSpec<?, ?> spec) {
        StateTtlConfig ttl = spec.descriptor().getTtlConfig();
        boolean stamped =
                ttl.isEnabled()
                        && TtlAwareSerializer.isSerializerTtlEnabled(spec.valueSerializer());
        StateDescriptor.Type type = spec.descriptor().getType();
        StateTtlConfig.CleanupStrategies cleanup = ttl.getCleanupStrategies();
        listExpiryOfState.remove(spec.id());
        if (!stamped || type == StateDescriptor.Type.LIST) {
            // A list's elements expire one by one, when they are read.
            backend.store().setTtl(spec.id(), 0, 0, false, false);
            if (stamped && cleanup.inFullSnapshot()) {
                listExpiryOfState.put(spec.id(), listExpiry(spec));
            }
            return;
        }
        backend.store()
                .setTtl(
                        spec.id(),
                        ttl.getTimeToLive().toMillis(),
                        type == StateDescriptor.Type.MAP ? 1 : 0,
                        backend.sweepsExpiredRows() && cleanup.inRocksdbCompactFilter(),
                        cleanup.inFullSnapshot());
    }

    @SuppressWarnings("unchecked")
    private static ListExpiry listExpiry(StateSpec<?, ?> spec) {
        ListSerializer<? extends TtlValue<?>> serializer =
                (ListSerializer<? extends TtlValue<?>>) spec.valueSerializer();
        return new ListExpiry(
                serializer.getElementSerializer(),
                spec.descriptor().getTtlConfig().getTimeToLive().toMillis());
    }

    /** Whether there are lists whose expired elements have to be left out of full snapshots. */
    boolean hasExpiringLists() {
        return !listExpiryOfState.isEmpty();
    }

    /** How to leave elements out, by position in the list of states; for one snapshot. */
    Map<Integer, ListExpiry> listExpiries() {
        Map<Integer, ListExpiry> byPosition = new HashMap<>();
        int position = 0;
        for (RegisteredState state : registry.states()) {
            ListExpiry expiry = listExpiryOfState.get(state.id());
            if (expiry != null) {
                byPosition.put(position, expiry.copy());
            }
            position++;
        }
        return byPosition;
    }

    @SuppressWarnings("unchecked")
    private static <N, V> RegisteredKeyValueStateBackendMetaInfo<N, V> keyValue(
            RegisteredState state) {
        if (state.metaInfo() instanceof RegisteredKeyValueStateBackendMetaInfo<?, ?> metaInfo) {
            return (RegisteredKeyValueStateBackendMetaInfo<N, V>) metaInfo;
        }
        throw new IllegalStateException(
                "'" + state.metaInfo().getName() + "' is a timer queue, not a keyed state.");
    }
}
