package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeChunk;
import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Iterates one map chunk by chunk. The map may change meanwhile: every entry that stays is returned
 * once, and an entry's value is read when it is asked for, as it is then.
 *
 * @param <T> what is returned of an entry
 */
final class NativeMapIterator<UK, UV, T> implements Iterator<T> {

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final NativeMapState<?, ?, UK, UV> state;
    private final int keyGroup;
    private final byte[] prefix;
    private final MemorySegment prefixSegment;
    private final Function<Map.Entry<UK, UV>, T> view;

    private byte[] chunk = new byte[0];
    private int position;
    private int left;
    private long cursor;

    /** Value of the state's change counter for which the chunk's values are current. */
    private int changesSeen;

    @Nullable private Entry last;

    NativeMapIterator(
            NativeMapState<?, ?, UK, UV> state,
            int keyGroup,
            byte[] prefix,
            Function<Map.Entry<UK, UV>, T> view) {
        this.state = state;
        this.keyGroup = keyGroup;
        this.prefix = prefix;
        this.prefixSegment = MemorySegment.ofArray(prefix);
        this.view = view;
    }

    @Override
    public boolean hasNext() {
        while (left == 0 && cursor != NativeChunk.END) {
            load();
        }
        return left > 0;
    }

    @Override
    public T next() {
        if (!hasNext()) {
            throw new NoSuchElementException("The map has no more entries.");
        }
        left--;
        int keyLength = intAt(position);
        int valueLength = intAt(position + Integer.BYTES);
        int keyOffset = position + 2 * Integer.BYTES;
        position = keyOffset + keyLength + valueLength;
        last = new Entry(chunk, keyOffset, keyLength, valueLength, changesSeen);
        return view.apply(last);
    }

    @Override
    public void remove() {
        if (last == null || last.removed) {
            throw new IllegalStateException("There is no entry to remove: call next() first.");
        }
        last.remove();
    }

    /** Runs a change of this iterator's own, which leaves all other values of the chunk current. */
    private void change(Runnable ownChange) {
        boolean current = changesSeen == state.changes();
        ownChange.run();
        if (current) {
            changesSeen = state.changes();
        }
    }

    private void load() {
        NativeChunk loaded =
                state.rows.scanMap(state.id, keyGroup, prefixSegment, prefix.length, cursor);
        cursor = loaded.cursor();
        left = loaded.count();
        position = loaded.takeBytes(0);
        // Entries outlive the backend's chunk: the user may read them much later.
        chunk = RowAccess.copyOf(loaded);
        changesSeen = state.changes();
    }

    private int intAt(int offset) {
        return (int) INT.get(chunk, offset);
    }

    /** One entry; key and value are read when they are first asked for. */
    private final class Entry implements Map.Entry<UK, UV> {
        private final byte[] bytes;
        private final int keyOffset;
        private final int keyLength;
        private final int valueLength;
        private final int changesWhenLoaded;

        @Nullable private UK key;
        private boolean keyRead;
        @Nullable private UV value;
        private boolean valueRead;
        private boolean removed;

        private Entry(
                byte[] bytes,
                int keyOffset,
                int keyLength,
                int valueLength,
                int changesWhenLoaded) {
            this.bytes = bytes;
            this.keyOffset = keyOffset;
            this.keyLength = keyLength;
            this.valueLength = valueLength;
            this.changesWhenLoaded = changesWhenLoaded;
        }

        @Override
        public UK getKey() {
            if (!keyRead) {
                try {
                    key = state.readUserKey(bytes, keyOffset, keyLength);
                } catch (IOException e) {
                    throw new FlinkRuntimeException("A key of a map state cannot be read.", e);
                }
                keyRead = true;
            }
            return key;
        }

        @Override
        @Nullable
        public UV getValue() {
            if (!valueRead) {
                try {
                    value = state.readUserValue(bytes, keyOffset + keyLength, valueLength);
                    if (changesWhenLoaded != state.changes() && !removed) {
                        value = state.readEntry(keyGroup, entryKey(), prefix.length, value);
                    }
                } catch (IOException e) {
                    throw new FlinkRuntimeException("A value of a map state cannot be read.", e);
                }
                valueRead = true;
            }
            return value;
        }

        @Override
        @Nullable
        public UV setValue(@Nullable UV newValue) {
            if (removed) {
                throw new IllegalStateException("The entry was removed.");
            }
            UV before = getValue();
            change(() -> replace(newValue));
            value = newValue;
            return before;
        }

        private void replace(@Nullable UV newValue) {
            try {
                state.replaceEntry(keyGroup, entryKey(), prefix.length, newValue);
            } catch (IOException e) {
                throw new FlinkRuntimeException("A value of a map state cannot be written.", e);
            }
        }

        private void remove() {
            change(() -> state.removeEntry(keyGroup, entryKey(), prefix.length));
            removed = true;
        }

        private OutputBuffer entryKey() {
            OutputBuffer buffer = state.rows.entryKey();
            try {
                buffer.clear().write(prefix);
                buffer.view().write(bytes, keyOffset, keyLength);
            } catch (IOException e) {
                throw new FlinkRuntimeException(e);
            }
            return buffer;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Map.Entry<?, ?> entry
                    && Objects.equals(getKey(), entry.getKey())
                    && Objects.equals(getValue(), entry.getValue());
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(getKey()) ^ Objects.hashCode(getValue());
        }

        @Override
        public String toString() {
            return getKey() + "=" + getValue();
        }
    }
}
