package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeChunk;
import io.streamfusion.ffi.NativeSnapshot;
import java.util.Arrays;
import java.util.Map;
import org.apache.flink.runtime.state.KeyValueStateIterator;

/**
 * Rows of a canonical snapshot, fetched in chunks, with the key group put in front of each key.
 * Keys and values are fresh arrays, since Flink marks and keeps them. One thread; does not own the
 * snapshot.
 */
final class CanonicalRowIterator implements KeyValueStateIterator {
    private static final int CHUNK_BYTES = 256 * 1024;

    private final NativeSnapshot snapshot;
    private final Map<Integer, Integer> indexOfState;
    private final int keyGroupPrefixBytes;
    private final NativeChunk chunk = new NativeChunk(CHUNK_BYTES);
    private int left;
    private boolean valid;
    private int keyGroup = -1;
    private int state = -1;
    private boolean newKeyGroup;
    private boolean newState;
    private byte[] key;
    private byte[] value;

    /** The iterator stands on the first row. */
    CanonicalRowIterator(
            NativeSnapshot snapshot, Map<Integer, Integer> indexOfState, int keyGroupPrefixBytes) {
        this.snapshot = snapshot;
        this.indexOfState = indexOfState;
        this.keyGroupPrefixBytes = keyGroupPrefixBytes;
        next();
    }

    @Override
    public void next() {
        while (left == 0) {
            if (!snapshot.rows(chunk)) {
                valid = false;
                return;
            }
            left = chunk.count();
        }
        left--;
        valid = true;
        readRow();
    }

    private void readRow() {
        int rowKeyGroup = chunk.takeInt();
        int rowState = indexOfState.get(chunk.takeInt());
        int keyLength = chunk.takeInt();
        int valueLength = chunk.takeInt();
        newKeyGroup = rowKeyGroup != keyGroup;
        newState = newKeyGroup || rowState != state;
        keyGroup = rowKeyGroup;
        state = rowState;
        key = new byte[keyGroupPrefixBytes + keyLength];
        for (int i = 0; i < keyGroupPrefixBytes; i++) {
            key[i] = (byte) (keyGroup >>> (8 * (keyGroupPrefixBytes - 1 - i)));
        }
        System.arraycopy(
                chunk.array(), chunk.takeBytes(keyLength), key, keyGroupPrefixBytes, keyLength);
        int valueAt = chunk.takeBytes(valueLength);
        value = Arrays.copyOfRange(chunk.array(), valueAt, valueAt + valueLength);
    }

    @Override
    public int keyGroup() {
        return keyGroup;
    }

    @Override
    public byte[] key() {
        return key;
    }

    @Override
    public byte[] value() {
        return value;
    }

    @Override
    public int kvStateId() {
        return state;
    }

    @Override
    public boolean isNewKeyValueState() {
        return newState;
    }

    @Override
    public boolean isNewKeyGroup() {
        return newKeyGroup;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public void close() {
        left = 0;
        valid = false;
    }
}
