package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeChunk;
import io.streamfusion.ffi.NativeStatus;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.buffer.HeapBuffer;
import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputDeserializer;

/**
 * The row door as the states of one backend use it: the current key, what is being written and what
 * was read last, all in reused buffers. What a read returns is valid until the next read. Task
 * thread only.
 */
final class RowAccess<K> {
    private static final int INITIAL_VALUE_BYTES = 4 * 1024;

    /** The least the store accepts: whether a row exists is asked without copying its value. */
    private static final int LEAST_CAPACITY = 16;

    private static final int SCAN_BYTES = 32 * 1024;

    private final NativeStore store;
    private final CompositeKey<K> key;
    private final OutputBuffer output = new OutputBuffer();
    private final OutputBuffer entryKey = new OutputBuffer();
    private final HeapBuffer read = new HeapBuffer(INITIAL_VALUE_BYTES);
    private final DataInputDeserializer input = new DataInputDeserializer();
    private final NativeChunk chunk = new NativeChunk(SCAN_BYTES);

    RowAccess(NativeStore store, CompositeKey<K> key) {
        this.store = store;
        this.key = key;
    }

    NativeStore store() {
        return store;
    }

    CompositeKey<K> key() {
        return key;
    }

    /** Where the next value to write is serialized. */
    OutputBuffer output() {
        return output;
    }

    /** Where iterators put the key of an entry, which need not be of the current key. */
    OutputBuffer entryKey() {
        return entryKey;
    }

    // ---- value rows of the current key

    @Nullable
    DataInputDeserializer getValue(int state) {
        return getValue(state, key.keyGroup(), key.segment(), key.length());
    }

    @Nullable
    DataInputDeserializer getValue(int state, int keyGroup, MemorySegment rowKey, int length) {
        int found =
                store.valueGet(state, keyGroup, rowKey, length, read.segment(), read.capacity());
        if (found > read.capacity()) {
            read.ensureCapacity(found);
            found =
                    store.valueGet(
                            state, keyGroup, rowKey, length, read.segment(), read.capacity());
        }
        return received(found);
    }

    void putValue(int state) {
        store.valuePut(
                state,
                key.keyGroup(),
                key.segment(),
                key.length(),
                output.segment(),
                output.length());
    }

    void removeValue(int state) {
        store.valueRemove(state, key.keyGroup(), key.segment(), key.length());
    }

    // ---- list of the current key

    @Nullable
    DataInputDeserializer getList(int state) {
        return getList(state, key.keyGroup(), key.segment(), key.length());
    }

    @Nullable
    DataInputDeserializer getList(int state, int keyGroup, MemorySegment rowKey, int length) {
        int found = store.listGet(state, keyGroup, rowKey, length, read.segment(), read.capacity());
        if (found > read.capacity()) {
            read.ensureCapacity(found);
            found = store.listGet(state, keyGroup, rowKey, length, read.segment(), read.capacity());
        }
        return received(found);
    }

    /** Appends what the last read returned, {@code length} bytes, to the value to write. */
    void appendLastRead(int length) throws IOException {
        output.view().write(read.array(), 0, length);
    }

    void addToList(int state) {
        store.listAdd(
                state,
                key.keyGroup(),
                key.segment(),
                key.length(),
                output.segment(),
                output.length());
    }

    void putList(int state) {
        store.listPut(
                state,
                key.keyGroup(),
                key.segment(),
                key.length(),
                output.segment(),
                output.length());
    }

    void clearList(int state) {
        store.listClear(state, key.keyGroup(), key.segment(), key.length());
    }

    // ---- map of the current key

    @Nullable
    DataInputDeserializer getEntry(int state) {
        return getEntry(state, key.keyGroup(), key.segment(), key.prefixLength(), key.length());
    }

    @Nullable
    DataInputDeserializer getEntry(
            int state, int keyGroup, MemorySegment rowKey, int prefixLength, int length) {
        int found =
                store.mapGet(
                        state,
                        keyGroup,
                        rowKey,
                        prefixLength,
                        length,
                        read.segment(),
                        read.capacity());
        if (found > read.capacity()) {
            read.ensureCapacity(found);
            found =
                    store.mapGet(
                            state,
                            keyGroup,
                            rowKey,
                            prefixLength,
                            length,
                            read.segment(),
                            read.capacity());
        }
        return received(found);
    }

    boolean containsEntry(int state) {
        return store.mapGet(
                        state,
                        key.keyGroup(),
                        key.segment(),
                        key.prefixLength(),
                        key.length(),
                        read.segment(),
                        LEAST_CAPACITY)
                != NativeStatus.ABSENT;
    }

    void putEntry(int state) {
        store.mapPut(
                state,
                key.keyGroup(),
                key.segment(),
                key.prefixLength(),
                key.length(),
                output.segment(),
                output.length());
    }

    void removeEntry(int state) {
        store.mapRemove(state, key.keyGroup(), key.segment(), key.prefixLength(), key.length());
    }

    int mapSize(int state) {
        return store.mapSize(state, key.keyGroup(), key.segment(), key.prefixLength());
    }

    void clearMap(int state) {
        store.mapClear(state, key.keyGroup(), key.segment(), key.prefixLength());
    }

    /** Reads the next entries of the current key's map. */
    NativeChunk scanMap(int state, long cursor) {
        return scanMap(state, key.keyGroup(), key.segment(), key.prefixLength(), cursor);
    }

    /** Reads the next entries of a map; the chunk is valid until the next scan of this backend. */
    NativeChunk scanMap(
            int state, int keyGroup, MemorySegment prefix, int prefixLength, long cursor) {
        store.mapScan(state, keyGroup, prefix, prefixLength, cursor, chunk);
        return chunk;
    }

    /** The bytes of a chunk of this backend, to keep beyond the next scan. */
    static byte[] copyOf(NativeChunk chunk) {
        return Arrays.copyOf(chunk.array(), chunk.length());
    }

    /** A view to read bytes that are not in this object's buffers. */
    DataInputDeserializer view(byte[] bytes, int offset, int length) {
        input.setBuffer(bytes, offset, length);
        return input;
    }

    @Nullable
    private DataInputDeserializer received(int length) {
        if (length == NativeStatus.ABSENT) {
            return null;
        }
        input.setBuffer(read.array(), 0, length);
        return input;
    }
}
