package io.streamfusion.state.paimon.catalog.decode;

import io.streamfusion.ffi.NativeStateKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/** Describes states and writes their bytes, as a backend does. */
final class BackendBytes {
    private final TypeSerializer<?> keySerializer;
    private final List<BackendStates.State> states = new ArrayList<>();
    private final List<StateMetaInfoSnapshot> snapshots = new ArrayList<>();

    BackendBytes(TypeSerializer<?> keySerializer) {
        this.keySerializer = keySerializer;
    }

    BackendBytes add(
            String name,
            StateDescriptor.Type type,
            TypeSerializer<?> namespace,
            TypeSerializer<?> value) {
        NativeStateKind kind =
                switch (type) {
                    case LIST -> NativeStateKind.LIST;
                    case MAP -> NativeStateKind.MAP;
                    default -> NativeStateKind.VALUE;
                };
        states.add(new BackendStates.State(name, kind));
        snapshots.add(
                new RegisteredKeyValueStateBackendMetaInfo<>(type, name, namespace, value)
                        .snapshot());
        return this;
    }

    BackendBytes addTimers(String name, TypeSerializer<?> element) {
        states.add(new BackendStates.State(name, NativeStateKind.TIMER));
        snapshots.add(new RegisteredPriorityQueueStateBackendMetaInfo<>(name, element).snapshot());
        return this;
    }

    BackendStates states() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        new KeyedBackendSerializationProxy<>(keySerializer, snapshots, false).write(out);
        return new BackendStates(states, out.getCopyOfBuffer());
    }

    StateShape onlyShape() throws IOException {
        return StateShapes.of(states(), BackendBytes.class.getClassLoader()).get(0);
    }

    static <T> byte[] bytes(TypeSerializer<T> serializer, T value) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        return out.getCopyOfBuffer();
    }

    /** Key and namespace in one, as the backend writes them. */
    static <K, N> byte[] composite(
            TypeSerializer<K> keys, K key, TypeSerializer<N> namespaces, N namespace)
            throws IOException {
        boolean ambiguous = CompositeKeySerializationUtils.isAmbiguousKeyPossible(keys, namespaces);
        DataOutputSerializer out = new DataOutputSerializer(64);
        CompositeKeySerializationUtils.writeKey(key, keys, out, ambiguous);
        CompositeKeySerializationUtils.writeNameSpace(namespace, namespaces, out, ambiguous);
        return out.getCopyOfBuffer();
    }

    static byte[] joined(byte[]... parts) {
        DataOutputSerializer out = new DataOutputSerializer(64);
        try {
            for (byte[] part : parts) {
                out.write(part);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return out.getCopyOfBuffer();
    }
}
