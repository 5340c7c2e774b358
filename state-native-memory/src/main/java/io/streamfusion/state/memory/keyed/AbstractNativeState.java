package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.queryablestate.client.state.serialization.KvStateSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.Preconditions;
import org.apache.flink.util.StateMigrationException;

/**
 * What the five kinds of state share: serializers, the current namespace and access to the rows.
 *
 * @param <K> key
 * @param <N> namespace
 * @param <V> what the state holds for one key and namespace
 */
abstract class AbstractNativeState<K, N, V> implements InternalKvState<K, N, V>, State {
    private static final long GUEST_TIMEOUT_MILLIS = 10_000;

    final NativeKeyedStateBackend<K> backend;
    final RowAccess<K> rows;
    final int id;

    private TypeSerializer<N> namespaceSerializer;
    private boolean immutableNamespace;
    private TypeSerializer<V> valueSerializer;
    @Nullable private V defaultValue;
    @Nullable private N currentNamespace;

    AbstractNativeState(NativeKeyedStateBackend<K> backend, StateSpec<N, V> spec) {
        this.backend = backend;
        this.rows = backend.rows();
        this.id = spec.id();
    }

    /**
     * Takes serializers and functions from a specification: at the end of construction, and when
     * the state is created once more.
     */
    void adopt(StateSpec<N, V> spec) {
        namespaceSerializer = spec.namespaceSerializer();
        immutableNamespace = namespaceSerializer.isImmutableType();
        valueSerializer = Preconditions.checkNotNull(spec.valueSerializer());
        defaultValue = spec.defaultValue();
        rows.key().namespaceChanged(this);
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return backend.getKeySerializer();
    }

    @Override
    public TypeSerializer<N> getNamespaceSerializer() {
        return namespaceSerializer;
    }

    @Override
    public TypeSerializer<V> getValueSerializer() {
        return valueSerializer;
    }

    @Override
    public void setCurrentNamespace(N namespace) {
        if (currentNamespace != namespace || !immutableNamespace) {
            currentNamespace = namespace;
            rows.key().namespaceChanged(this);
        }
    }

    @Nullable
    final N currentNamespace() {
        return currentNamespace;
    }

    @Override
    public StateIncrementalVisitor<K, N, V> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        throw new UnsupportedOperationException(
                "Rows are visited by the background sweep of the native store.");
    }

    /** Makes the row of the current key and namespace the one that is accessed. */
    final void selectRow() {
        backend.beforeAccess();
        rows.key().setNamespace(this, currentNamespace, namespaceSerializer);
    }

    @Nullable
    final V copyOfDefault() {
        return defaultValue == null ? null : valueSerializer.copy(defaultValue);
    }

    /**
     * Rewrites one stored value in the format of another serializer.
     *
     * @param stored the value as it is in the store
     * @param migrated receives the value as it shall be
     * @param from wraps the serializer that wrote {@code stored}
     * @param to wraps the serializer to write with
     */
    abstract void migrate(
            DataInputDeserializer stored,
            DataOutputSerializer migrated,
            TtlAwareSerializer<V, ?> from,
            TtlAwareSerializer<V, ?> to,
            TtlTimeProvider time)
            throws StateMigrationException;

    /** Writes a migrated value back under its key. */
    abstract void putMigrated(
            int keyGroup, MemorySegment rowKey, int prefixLength, int length, OutputBuffer value);

    /**
     * {@inheritDoc}
     *
     * <p>Any thread may ask. See {@link NativeStore#readAsGuest} about the cost for the task
     * thread.
     */
    @Override
    @Nullable
    public final byte[] getSerializedValue(
            byte[] serializedKeyAndNamespace,
            TypeSerializer<K> safeKeySerializer,
            TypeSerializer<N> safeNamespaceSerializer,
            TypeSerializer<V> safeValueSerializer)
            throws Exception {
        Tuple2<K, N> request =
                KvStateSerializer.deserializeKeyAndNamespace(
                        Preconditions.checkNotNull(serializedKeyAndNamespace),
                        Preconditions.checkNotNull(safeKeySerializer),
                        Preconditions.checkNotNull(safeNamespaceSerializer));
        CompositeKey<K> key = new CompositeKey<>(safeKeySerializer);
        key.setKey(
                request.f0,
                KeyGroupRangeAssignment.assignToKeyGroup(
                        request.f0, backend.getNumberOfKeyGroups()));
        key.setNamespace(this, request.f1, safeNamespaceSerializer);
        RowAccess<K> ownRows = new RowAccess<>(backend.store(), key);
        if (backend.isOwner()) {
            // A state that is asked this way is asked by other threads too, which need not wait
            // then.
            backend.store().allowGuests();
            return serialized(ownRows, safeValueSerializer);
        }
        return backend.store()
                .readAsGuest(GUEST_TIMEOUT_MILLIS, () -> serialized(ownRows, safeValueSerializer));
    }

    /** What is stored under the key of {@code request}, as queryable state gives it; or null. */
    @Nullable
    abstract byte[] serialized(RowAccess<K> request, TypeSerializer<V> safeValueSerializer)
            throws Exception;

    @Nullable
    static byte[] remaining(@Nullable DataInputDeserializer input) throws IOException {
        if (input == null) {
            return null;
        }
        byte[] bytes = new byte[input.available()];
        input.readFully(bytes);
        return bytes;
    }
}
