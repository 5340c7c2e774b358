package io.streamfusion.state.memory.keyed;

import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * The reused bytes {@code [key][namespace][user key]} of the row that is accessed.
 *
 * <p>These are the bytes of Flink's composite keys without the key-group prefix: when both key and
 * namespace vary in length, each is followed by its length, low byte first and no longer than
 * needed. The key is written once per key switch; the namespace stays in place while the same state
 * goes on accessing it.
 */
public final class CompositeKey<K> {
    private final TypeSerializer<K> keySerializer;
    private final boolean variableKey;
    private final OutputBuffer buffer = new OutputBuffer();

    private int keyGroup;
    private int keyEnd;
    private int prefixEnd;
    private boolean keySet;

    /** Whose namespace is behind the key now; null when none is. */
    @Nullable private Object prefixOwner;

    /** Creates an empty key for keys of {@code keySerializer}. */
    public CompositeKey(TypeSerializer<K> keySerializer) {
        this.keySerializer = keySerializer;
        this.variableKey =
                CompositeKeySerializationUtils.isSerializerTypeVariableSized(keySerializer);
    }

    /** Switches to another key of key group {@code newKeyGroup}. */
    public void setKey(K key, int newKeyGroup) {
        prefixOwner = null;
        keySet = false;
        try {
            keySerializer.serialize(key, buffer.clear());
        } catch (IOException e) {
            throw new FlinkRuntimeException("The current key cannot be serialized.", e);
        }
        keyEnd = buffer.length();
        keyGroup = newKeyGroup;
        keySet = true;
    }

    /** Puts the namespace of {@code owner} behind the key and drops a user key. */
    public <N> void setNamespace(Object owner, N namespace, TypeSerializer<N> serializer) {
        DataOutputSerializer view = buffer.view();
        if (prefixOwner == owner) {
            view.setPositionUnsafe(prefixEnd);
            return;
        }
        if (!keySet) {
            throw new NullPointerException(
                    "There is no current key: keyed state was accessed outside a keyed context.");
        }
        if (namespace == null) {
            throw new NullPointerException("There is no current namespace.");
        }
        prefixOwner = null;
        view.setPositionUnsafe(keyEnd);
        try {
            writeNamespace(namespace, serializer, view);
        } catch (IOException e) {
            throw new FlinkRuntimeException("The namespace cannot be serialized.", e);
        }
        prefixEnd = view.length();
        prefixOwner = owner;
    }

    /** The namespace of {@code owner} has changed. */
    public void namespaceChanged(Object owner) {
        if (prefixOwner == owner) {
            prefixOwner = null;
        }
    }

    /** Puts a user key behind the namespace. */
    public <U> void setUserKey(U userKey, TypeSerializer<U> serializer) throws IOException {
        DataOutputSerializer view = buffer.view();
        view.setPositionUnsafe(prefixEnd);
        serializer.serialize(userKey, view);
    }

    /** Key group of the current key. */
    public int keyGroup() {
        return keyGroup;
    }

    /** Length of {@code [key][namespace]}. */
    public int prefixLength() {
        return prefixEnd;
    }

    /** Length of all that is set. */
    public int length() {
        return buffer.length();
    }

    /** A segment that begins with the bytes set so far. */
    public MemorySegment segment() {
        return buffer.segment();
    }

    /** A copy of {@code [key][namespace]}. */
    public byte[] copyOfPrefix() {
        return Arrays.copyOf(buffer.view().getSharedBuffer(), prefixEnd);
    }

    private <N> void writeNamespace(
            N namespace, TypeSerializer<N> serializer, DataOutputSerializer view)
            throws IOException {
        boolean ambiguous =
                variableKey
                        && CompositeKeySerializationUtils.isSerializerTypeVariableSized(serializer);
        if (ambiguous) {
            CompositeKeySerializationUtils.writeVariableIntBytes(keyEnd, view);
        }
        CompositeKeySerializationUtils.writeNameSpace(namespace, serializer, view, ambiguous);
    }
}
