package io.streamfusion.state.paimon.catalog.decode;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;

/**
 * Decodes the rows of one state. What cannot be decoded, or has another type than its column, is
 * shown as bytes; no content makes it fail. One thread.
 */
public final class EntryDecoder {
    private static final byte LIST_DELIMITER = ',';

    private final StateShape shape;
    private final EntryRow.Columns columns;

    /**
     * Creates a decoder.
     *
     * @param shape of the rows to be decoded
     * @param columns of the table, to which other rows may have given other types
     */
    public EntryDecoder(StateShape shape, List<StateColumn> columns) {
        this.shape = shape;
        this.columns = new EntryRow.Columns(columns);
    }

    /**
     * The row of a value.
     *
     * @param key the key; with an empty {@code namespace} both in one
     * @param value as the state's serializer wrote it
     */
    public RowData value(byte[] key, byte[] namespace, byte[] value) {
        EntryRow row = rowOf(key, namespace);
        onlyValue(row, new DataInputDeserializer(value), value);
        return row.finish();
    }

    /**
     * The row of an entry of a map.
     *
     * @param value a byte that tells null, and the value
     */
    public RowData mapEntry(byte[] key, byte[] namespace, byte[] userKey, byte[] value) {
        EntryRow row = rowOf(key, namespace);
        whole(row, StateColumn.MAP_KEY, shape.userKey(), userKey);
        boolean isNull = value.length > 0 && value[0] != 0;
        if (!shape.value().isReadable() || value.length == 0) {
            row.putBytes(StateColumn.VALUE, value);
        } else if (!isNull) {
            DataInputDeserializer in = new DataInputDeserializer(value, 1, value.length - 1);
            onlyValue(row, in, value);
        }
        return row.finish();
    }

    /**
     * The row of a timer.
     *
     * @param element its time in eight bytes, its key and its namespace
     * @param timestamp its time, if the table has it
     */
    public RowData timer(byte[] element, @Nullable Long timestamp) {
        EntryRow row = new EntryRow(columns);
        row.put(StateColumn.TIMESTAMP, new BigIntType(), timestamp);
        if (!shape.key().isReadable() || element.length < Long.BYTES) {
            row.putBytes(StateColumn.KEY, element);
        } else {
            keyAndNamespace(row, element, Long.BYTES);
        }
        return row.finish();
    }

    /**
     * The rows of a list, one for each element. A chunk whose elements cannot be told apart is one
     * row.
     *
     * @param chunks in the list's order; each has whole elements with a comma between them
     */
    public void list(
            byte[] key, byte[] namespace, Iterable<byte[]> chunks, Consumer<RowData> rows) {
        int index = 0;
        for (byte[] chunk : chunks) {
            if (!shape.value().isReadable()) {
                EntryRow row = rowOf(key, namespace);
                row.putBytes(StateColumn.VALUE, chunk);
                rows.accept(row.finish());
                continue;
            }
            DataInputDeserializer in = new DataInputDeserializer(chunk);
            boolean more = true;
            while (more) {
                EntryRow row = rowOf(key, namespace);
                row.put(StateColumn.LIST_INDEX, new IntType(), index);
                more = element(row, in, chunk);
                rows.accept(row.finish());
                index++;
            }
        }
    }

    /**
     * Reads an element.
     *
     * @return whether there is another one
     */
    private boolean element(EntryRow row, DataInputDeserializer in, byte[] chunk) {
        int start = in.getPosition();
        try {
            StoredValue value = read(in);
            boolean more = in.available() > 0;
            if (more && in.readByte() != LIST_DELIMITER) {
                throw new IOException("There is no delimiter at " + in.getPosition() + ".");
            }
            put(row, value, chunk);
            return more;
        } catch (IOException | RuntimeException | LinkageError e) {
            row.putBytes(StateColumn.VALUE, Arrays.copyOfRange(chunk, start, chunk.length));
            return false;
        }
    }

    private void onlyValue(EntryRow row, DataInputDeserializer in, byte[] source) {
        int start = in.getPosition();
        try {
            StoredValue value = read(in);
            requireEnd(in);
            put(row, value, source);
        } catch (IOException | RuntimeException | LinkageError e) {
            row.putBytes(StateColumn.VALUE, Arrays.copyOfRange(source, start, source.length));
        }
    }

    /**
     * A value where it lies.
     *
     * @param lastAccess its time stamp in milliseconds, 0 if it has none
     * @param object the value; null when its shape cannot be read
     */
    private record StoredValue(long lastAccess, @Nullable Object object, int start, int end) {}

    private StoredValue read(DataInputDeserializer in) throws IOException {
        long lastAccess = shape.stamped() ? in.readLong() : 0;
        int start = in.getPosition();
        if (shape.value().isReadable()) {
            Object object = shape.value().read(in);
            return new StoredValue(lastAccess, object, start, in.getPosition());
        }
        in.skipBytesToRead(in.available());
        return new StoredValue(lastAccess, null, start, in.getPosition());
    }

    private void put(EntryRow row, StoredValue value, byte[] source) {
        if (shape.stamped()) {
            row.put(
                    StateColumn.LAST_ACCESS,
                    StateShape.TIME,
                    TimestampData.fromEpochMillis(value.lastAccess()));
        }
        row.put(
                StateColumn.VALUE,
                shape.value(),
                value.object(),
                source,
                value.start(),
                value.end());
    }

    private EntryRow rowOf(byte[] key, byte[] namespace) {
        EntryRow row = new EntryRow(columns);
        if (namespace.length == 0) {
            keyAndNamespace(row, key, 0);
        } else {
            whole(row, StateColumn.KEY, shape.key(), key);
            if (shape.hasNamespace()) {
                whole(row, StateColumn.NAMESPACE, shape.namespace(), namespace);
            }
        }
        return row;
    }

    /**
     * Both in one, from {@code start} on. Where neither has a fixed length, each is followed by its
     * length.
     */
    private void keyAndNamespace(EntryRow row, byte[] bytes, int start) {
        try {
            DataInputDeserializer in =
                    new DataInputDeserializer(bytes, start, bytes.length - start);
            Object key = shape.key().read(in);
            int keyEnd = in.getPosition();
            skipLength(in, keyEnd - start);
            int namespaceStart = in.getPosition();
            Object namespace = shape.namespace().read(in);
            int namespaceEnd = in.getPosition();
            skipLength(in, namespaceEnd - namespaceStart);
            requireEnd(in);
            row.put(StateColumn.KEY, shape.key(), key, bytes, start, keyEnd);
            if (shape.hasNamespace()) {
                row.put(
                        StateColumn.NAMESPACE,
                        shape.namespace(),
                        namespace,
                        bytes,
                        namespaceStart,
                        namespaceEnd);
            }
        } catch (IOException | RuntimeException | LinkageError e) {
            row.putBytes(StateColumn.KEY, Arrays.copyOfRange(bytes, start, bytes.length));
        }
    }

    private void skipLength(DataInputDeserializer in, int length) throws IOException {
        if (shape.ambiguous()) {
            CompositeKeySerializationUtils.readVariableIntBytes(in, length);
        }
    }

    private static void whole(EntryRow row, String column, Shape shape, byte[] bytes) {
        if (!shape.isReadable()) {
            row.putBytes(column, bytes);
            return;
        }
        try {
            DataInputDeserializer in = new DataInputDeserializer(bytes);
            Object object = shape.read(in);
            requireEnd(in);
            row.put(column, shape, object, bytes, 0, bytes.length);
        } catch (IOException | RuntimeException | LinkageError e) {
            row.putBytes(column, bytes);
        }
    }

    private static void requireEnd(DataInputDeserializer in) throws IOException {
        if (in.available() > 0) {
            throw new IOException("There are " + in.available() + " bytes left.");
        }
    }
}
