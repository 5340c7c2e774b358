package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeChunk;
import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.lang.foreign.MemorySegment;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.util.StateMigrationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rewrites the values of a restored state in the format of its new serializer, row by row. Keys,
 * namespaces and user keys stay as they are.
 */
final class ValueMigration {
    private static final Logger LOG = LoggerFactory.getLogger(ValueMigration.class);
    private static final int CHUNK_BYTES = 64 * 1024;

    private final NativeKeyedStateBackend<?> backend;

    ValueMigration(NativeKeyedStateBackend<?> backend) {
        this.backend = backend;
    }

    <N, V> void migrate(StateSpec<N, V> spec, RegisteredKeyValueStateBackendMetaInfo<N, V> metaInfo)
            throws StateMigrationException {
        if (spec.descriptor().getType() == StateDescriptor.Type.MAP) {
            requireSameUserKeys(spec, metaInfo);
        }
        LOG.info(
                "Migrating the values of state '{}': the format of its serializer has changed.",
                metaInfo.getName());
        TtlAwareSerializer<V, ?> from = ttlAware(metaInfo.getPreviousStateSerializer());
        TtlAwareSerializer<V, ?> to = ttlAware(metaInfo.getStateSerializer());
        AbstractNativeState<?, N, V> state = StateObjects.create(backend, spec);
        for (int keyGroup : backend.getKeyGroupRange()) {
            migrateKeyGroup(state, keyGroup, from, to);
        }
    }

    private <N, V> void migrateKeyGroup(
            AbstractNativeState<?, N, V> state,
            int keyGroup,
            TtlAwareSerializer<V, ?> from,
            TtlAwareSerializer<V, ?> to)
            throws StateMigrationException {
        NativeChunk chunk = new NativeChunk(CHUNK_BYTES);
        DataInputDeserializer stored = new DataInputDeserializer();
        OutputBuffer migrated = new OutputBuffer();
        for (long cursor = 0; cursor != NativeChunk.END; cursor = chunk.cursor()) {
            backend.store().rowsScan(state.id, keyGroup, cursor, chunk);
            for (int left = chunk.count(); left > 0; left--) {
                int keyLength = chunk.takeInt();
                int prefixLength = chunk.takeInt();
                int valueLength = chunk.takeInt();
                int keyOffset = chunk.takeBytes(keyLength);
                stored.setBuffer(chunk.array(), chunk.takeBytes(valueLength), valueLength);
                state.migrate(stored, migrated.clear(), from, to, backend.ttlTimeProvider());
                MemorySegment key = MemorySegment.ofArray(chunk.array()).asSlice(keyOffset);
                state.putMigrated(keyGroup, key, prefixLength, keyLength, migrated);
            }
        }
    }

    private static <N, V> void requireSameUserKeys(
            StateSpec<N, V> spec, RegisteredKeyValueStateBackendMetaInfo<N, V> metaInfo)
            throws StateMigrationException {
        boolean same =
                metaInfo.getPreviousStateSerializerSnapshot()
                                instanceof MapSerializerSnapshot<?, ?> previous
                        && spec.valueSerializer() instanceof MapSerializer<?, ?> current
                        && isSame(previous, current);
        if (!same) {
            throw new StateMigrationException(
                    String.format(
                            "State '%s': the format of the map's keys has changed; only the values"
                                    + " of a map can be migrated.",
                            metaInfo.getName()));
        }
    }

    @SuppressWarnings("unchecked")
    private static <U> boolean isSame(
            MapSerializerSnapshot<?, ?> previous, MapSerializer<?, ?> current) {
        TypeSerializerSnapshot<U> now =
                (TypeSerializerSnapshot<U>) current.getKeySerializer().snapshotConfiguration();
        return now.resolveSchemaCompatibility(
                        (TypeSerializerSnapshot<U>) previous.getKeySerializerSnapshot())
                .isCompatibleAsIs();
    }

    @SuppressWarnings("unchecked")
    private static <V> TtlAwareSerializer<V, ?> ttlAware(TypeSerializer<V> serializer) {
        return (TtlAwareSerializer<V, ?>) TtlAwareSerializer.wrapTtlAwareSerializer(serializer);
    }
}
