package io.streamfusion.state.memory.restore;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;

/**
 * Finds where key and namespace end and the user key begins in the key of a map entry. One thread.
 *
 * <p>Reading is skipped where it cannot say anything new: when both serializers write a fixed
 * number of bytes, and when the bytes begin like those of the previous row, since equal bytes read
 * the same.
 */
final class MapKeyPrefix {
    private static final int VARIABLE = -1;

    private final TypeSerializer<?> keySerializer;
    private final TypeSerializer<?> namespaceSerializer;
    private final boolean ambiguous;
    private final int fixedLength;
    private final DataInputDeserializer in = new DataInputDeserializer();
    private byte[] previous = new byte[0];

    MapKeyPrefix(TypeSerializer<?> keySerializer, TypeSerializer<?> namespaceSerializer) {
        this.keySerializer = keySerializer;
        this.namespaceSerializer = namespaceSerializer;
        this.ambiguous =
                CompositeKeySerializationUtils.isAmbiguousKeyPossible(
                        keySerializer, namespaceSerializer);
        boolean fixed = keySerializer.getLength() >= 0 && namespaceSerializer.getLength() >= 0;
        this.fixedLength =
                fixed ? keySerializer.getLength() + namespaceSerializer.getLength() : VARIABLE;
    }

    /**
     * Number of bytes of key and namespace.
     *
     * @param row the key of a row
     * @param from where the serialized key begins in it
     */
    int length(byte[] row, int from) throws IOException {
        if (fixedLength != VARIABLE) {
            return fixedLength;
        }
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
