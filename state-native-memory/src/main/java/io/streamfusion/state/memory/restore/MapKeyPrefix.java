package io.streamfusion.state.memory.restore;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;

/**
 * Finds where key and namespace end and the user key begins in the key of a map entry. One thread.
 *
 * <p>The lengths that serializers claim do not help: the one of the void namespace claims to write
 * nothing and writes a byte. Reading is skipped when the bytes begin like those of the previous
 * row, since equal bytes read the same.
 */
final class MapKeyPrefix {
    private final TypeSerializer<?> keySerializer;
    private final TypeSerializer<?> namespaceSerializer;
    private final boolean ambiguous;
    private final DataInputDeserializer in = new DataInputDeserializer();
    private byte[] previous = new byte[0];

    MapKeyPrefix(TypeSerializer<?> keySerializer, TypeSerializer<?> namespaceSerializer) {
        this.keySerializer = keySerializer;
        this.namespaceSerializer = namespaceSerializer;
        this.ambiguous =
                CompositeKeySerializationUtils.isAmbiguousKeyPossible(
                        keySerializer, namespaceSerializer);
    }

    /**
     * Number of bytes of key and namespace.
     *
     * @param row the key of a row
     * @param from where the serialized key begins in it
     */
    int length(byte[] row, int from) throws IOException {
        if (previous.length > 0 && beginsLikePrevious(row, from)) {
            return previous.length;
        }
        in.setBuffer(row, from, row.length - from);
        int start = in.getPosition();
        CompositeKeySerializationUtils.readKey(keySerializer, in, ambiguous);
        CompositeKeySerializationUtils.readNamespace(namespaceSerializer, in, ambiguous);
        int length = in.getPosition() - start;
        previous = Arrays.copyOfRange(row, from, from + length);
        return length;
    }

    private boolean beginsLikePrevious(byte[] row, int from) {
        int to = from + previous.length;
        return to <= row.length && Arrays.equals(row, from, to, previous, 0, previous.length);
    }
}
