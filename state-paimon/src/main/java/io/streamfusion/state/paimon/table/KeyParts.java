package io.streamfusion.state.paimon.table;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * How the native side splits {@code [key][namespace]} of a state; where neither length is fixed it
 * does not.
 *
 * @param namespaceLength bytes of every namespace, or {@link #UNKNOWN}
 * @param keyLength bytes of every key, or {@link #UNKNOWN}
 */
record KeyParts(int namespaceLength, int keyLength) {
    static final int UNKNOWN = -1;

    /** Timers, whose key is one piece, and numbers that no state has. */
    static final KeyParts WHOLE = new KeyParts(UNKNOWN, UNKNOWN);

    static KeyParts of(TypeSerializer<?> key, TypeSerializer<?> namespace) {
        return new KeyParts(fixedLength(namespace), fixedLength(key));
    }

    private static <T> int fixedLength(TypeSerializer<T> serializer) {
        int claimed = serializer.getLength();
        return claimed == 0 ? measured(serializer) : claimed;
    }

    /** The serializer of the void namespace claims to write nothing and writes a byte. */
    private static <T> int measured(TypeSerializer<T> serializer) {
        DataOutputSerializer out = new DataOutputSerializer(8);
        try {
            serializer.serialize(serializer.createInstance(), out);
            return out.length();
        } catch (IOException | RuntimeException e) {
            return UNKNOWN;
        }
    }
}
