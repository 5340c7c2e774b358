package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeChunk;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.registry.RegisteredState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Lists keys and namespaces that have rows. The keys of one key group are read at once when the
 * stream comes to it, so that the reader may change any state while it goes through them.
 */
final class KeyScan<K> {
    private static final int CHUNK_BYTES = 16 * 1024;

    private final NativeStore store;
    private final KeyGroupRange range;
    private final TypeSerializer<K> keySerializer;

    KeyScan(NativeStore store, KeyGroupRange range, TypeSerializer<K> keySerializer) {
        this.store = store;
        this.range = range;
        this.keySerializer = keySerializer;
    }

    /** Keys that have rows in any of the states under one namespace, each once. */
    <N> Stream<K> keys(Collection<RegisteredState> states, N namespace) {
        List<Scan<N>> scans = new ArrayList<>();
        for (RegisteredState state : states) {
            scans.add(new Scan<>(state, namespace));
        }
        return keyGroups()
                .flatMap(
                        keyGroup -> {
                            Collection<K> keys =
                                    scans.size() == 1 ? new ArrayList<>() : new LinkedHashSet<>();
                            for (Scan<N> scan : scans) {
                                scan.read(keyGroup, (key, ignored) -> keys.add(key));
                            }
                            return keys.stream();
                        });
    }

    /** All keys that have rows in a state, with their namespaces. */
    <N> Stream<Tuple2<K, N>> keysAndNamespaces(RegisteredState state) {
        Scan<N> scan = new Scan<>(state, null);
        return keyGroups()
                .flatMap(
                        keyGroup -> {
                            List<Tuple2<K, N>> keys = new ArrayList<>();
                            scan.read(
                                    keyGroup,
                                    (key, namespace) -> keys.add(Tuple2.of(key, namespace)));
                            return keys.stream();
                        });
    }

    private Stream<Integer> keyGroups() {
        return IntStream.rangeClosed(range.getStartKeyGroup(), range.getEndKeyGroup()).boxed();
    }

    private interface Receiver<K, N> {
        void accept(K key, @Nullable N namespace);
    }

    /** Reads the keys of one state, of one namespace only when there is one. */
    private final class Scan<N> {
        private final int state;
        private final TypeSerializer<N> namespaceSerializer;
        private final boolean ambiguous;

        /** The bytes behind the key for the namespace that is wanted; null: any namespace. */
        @Nullable private final byte[] suffix;

        @SuppressWarnings("unchecked")
        private Scan(RegisteredState registered, @Nullable N namespace) {
            state = registered.id();
            namespaceSerializer =
                    ((RegisteredKeyValueStateBackendMetaInfo<N, ?>) registered.metaInfo())
                            .getNamespaceSerializer();
            ambiguous =
                    CompositeKeySerializationUtils.isAmbiguousKeyPossible(
                            keySerializer, namespaceSerializer);
            suffix = namespace == null ? null : suffix(namespace);
        }

        private byte[] suffix(N namespace) {
            DataOutputSerializer out = new DataOutputSerializer(16);
            try {
                CompositeKeySerializationUtils.writeNameSpace(
                        namespace, namespaceSerializer, out, ambiguous);
            } catch (IOException e) {
                throw new FlinkRuntimeException("The namespace cannot be serialized.", e);
            }
            return out.getCopyOfBuffer();
        }

        private void read(int keyGroup, Receiver<K, N> receiver) {
            NativeChunk chunk = new NativeChunk(CHUNK_BYTES);
            DataInputDeserializer input = new DataInputDeserializer();
            for (long cursor = 0; cursor != NativeChunk.END; cursor = chunk.cursor()) {
                store.keysScan(state, keyGroup, cursor, chunk);
                for (int left = chunk.count(); left > 0; left--) {
                    int length = chunk.takeInt();
                    int offset = chunk.takeBytes(length);
                    if (endsWithSuffix(chunk.array(), offset, length)) {
                        input.setBuffer(chunk.array(), offset, length);
                        read(input, receiver);
                    }
                }
            }
        }

        private boolean endsWithSuffix(byte[] bytes, int offset, int length) {
            if (suffix == null) {
                return true;
            }
            int end = offset + length;
            return length >= suffix.length
                    && Arrays.equals(bytes, end - suffix.length, end, suffix, 0, suffix.length);
        }

        private void read(DataInputDeserializer input, Receiver<K, N> receiver) {
            try {
                K key = CompositeKeySerializationUtils.readKey(keySerializer, input, ambiguous);
                if (suffix == null) {
                    receiver.accept(
                            key,
                            CompositeKeySerializationUtils.readNamespace(
                                    namespaceSerializer, input, ambiguous));
                } else if (input.available() == suffix.length) {
                    receiver.accept(key, null);
                }
            } catch (IOException e) {
                throw new FlinkRuntimeException("A stored key cannot be read.", e);
            }
        }
    }
}
