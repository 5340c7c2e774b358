package io.streamfusion.state.memory.keyed;

import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.StateMigrationException;

/** A state that keeps one row per key and namespace: value, reducing and aggregating state. */
abstract class SingleRowState<K, N, V> extends AbstractNativeState<K, N, V> {

    SingleRowState(NativeKeyedStateBackend<K> backend, StateSpec<N, V> spec) {
        super(backend, spec);
    }

    /** The current row's value, or null when there is none. */
    @Nullable
    final V read() throws IOException {
        selectRow();
        DataInputDeserializer stored = rows.getValue(id);
        return stored == null ? null : getValueSerializer().deserialize(stored);
    }

    /** Replaces the current row; null removes it. */
    final void write(@Nullable V value) throws IOException {
        selectRow();
        if (value == null) {
            rows.removeValue(id);
            return;
        }
        getValueSerializer().serialize(value, rows.output().clear());
        rows.putValue(id);
    }

    @Override
    public final void clear() {
        selectRow();
        rows.removeValue(id);
    }

    @Override
    @Nullable
    final byte[] serialized(RowAccess<K> request, TypeSerializer<V> safeValueSerializer)
            throws IOException {
        return remaining(request.getValue(id));
    }

    @Override
    final void migrate(
            DataInputDeserializer stored,
            DataOutputSerializer migrated,
            TtlAwareSerializer<V, ?> from,
            TtlAwareSerializer<V, ?> to,
            TtlTimeProvider time)
            throws StateMigrationException {
        try {
            to.migrateValueFromPriorSerializer(
                    from, () -> from.deserialize(stored), migrated, time);
        } catch (Exception e) {
            throw new StateMigrationException("A stored value cannot be migrated.", e);
        }
    }

    @Override
    final void putMigrated(
            int keyGroup, MemorySegment rowKey, int prefixLength, int length, OutputBuffer value) {
        rows.store().valuePut(id, keyGroup, rowKey, length, value.segment(), value.length());
    }
}
