package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeChunk;
import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.queryablestate.client.state.serialization.KvStateSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer.TtlAwareMapSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.util.StateMigrationException;

/**
 * Map state: one row per entry, its value after a null flag. Entries are iterated in the order in
 * which their keys came into the map.
 */
final class NativeMapState<K, N, UK, UV> extends AbstractNativeState<K, N, Map<UK, UV>>
        implements InternalMapState<K, N, UK, UV> {
    private TypeSerializer<UK> userKeySerializer;
    private TypeSerializer<UV> userValueSerializer;

    /** Counts changes of any map of this state, so that iterators notice values read too early. */
    private int changes;

    NativeMapState(NativeKeyedStateBackend<K> backend, StateSpec<N, Map<UK, UV>> spec) {
        super(backend, spec);
        adopt(spec);
    }

    @Override
    void adopt(StateSpec<N, Map<UK, UV>> spec) {
        super.adopt(spec);
        MapSerializer<UK, UV> serializer = (MapSerializer<UK, UV>) spec.valueSerializer();
        userKeySerializer = serializer.getKeySerializer();
        userValueSerializer = serializer.getValueSerializer();
    }

    // ---- single entries

    @Override
    @Nullable
    public UV get(UK userKey) throws IOException {
        selectEntry(userKey);
        DataInputDeserializer stored = rows.getEntry(id);
        return stored == null ? null : readUserValue(stored, userValueSerializer);
    }

    @Override
    public void put(UK userKey, @Nullable UV userValue) throws IOException {
        selectEntry(userKey);
        writeUserValue(userValue, userValueSerializer, rows.output().clear());
        rows.putEntry(id);
        changes++;
    }

    @Override
    public void putAll(Map<UK, UV> entries) throws IOException {
        for (Map.Entry<UK, UV> entry : entries.entrySet()) {
            put(entry.getKey(), entry.getValue());
        }
    }

    @Override
    public void remove(UK userKey) throws IOException {
        selectEntry(userKey);
        rows.removeEntry(id);
        changes++;
    }

    @Override
    public boolean contains(UK userKey) throws IOException {
        selectEntry(userKey);
        return rows.containsEntry(id);
    }

    // ---- the whole map

    @Override
    public boolean isEmpty() {
        selectRow();
        return rows.mapSize(id) == 0;
    }

    @Override
    public void clear() {
        selectRow();
        rows.clearMap(id);
        changes++;
    }

    @Override
    public Iterable<Map.Entry<UK, UV>> entries() {
        return iterable(entry -> entry);
    }

    @Override
    public Iterable<UK> keys() {
        return iterable(Map.Entry::getKey);
    }

    @Override
    public Iterable<UV> values() {
        return iterable(Map.Entry::getValue);
    }

    @Override
    public Iterator<Map.Entry<UK, UV>> iterator() {
        return entries().iterator();
    }

    /** Iterates the map of the key and namespace that are current now, whenever it is asked to. */
    private <T> Iterable<T> iterable(Function<Map.Entry<UK, UV>, T> view) {
        selectRow();
        byte[] prefix = rows.key().copyOfPrefix();
        int keyGroup = rows.key().keyGroup();
        return () -> new NativeMapIterator<>(this, keyGroup, prefix, view);
    }

    @Override
    @Nullable
    byte[] serialized(RowAccess<K> request, TypeSerializer<Map<UK, UV>> safeValueSerializer)
            throws IOException {
        MapSerializer<UK, UV> serializer = (MapSerializer<UK, UV>) safeValueSerializer;
        TypeSerializer<UK> keys = serializer.getKeySerializer();
        TypeSerializer<UV> values = serializer.getValueSerializer();
        List<Map.Entry<UK, UV>> entries = new ArrayList<>();
        NativeChunk chunk;
        for (long cursor = 0; cursor != NativeChunk.END; cursor = chunk.cursor()) {
            chunk = request.scanMap(id, cursor);
            for (int left = chunk.count(); left > 0; left--) {
                int keyLength = chunk.takeInt();
                int valueLength = chunk.takeInt();
                int keyOffset = chunk.takeBytes(keyLength);
                int valueOffset = chunk.takeBytes(valueLength);
                UK key = keys.deserialize(request.view(chunk.array(), keyOffset, keyLength));
                UV value =
                        readUserValue(
                                request.view(chunk.array(), valueOffset, valueLength), values);
                entries.add(new AbstractMap.SimpleImmutableEntry<>(key, value));
            }
        }
        return entries.isEmpty() ? null : KvStateSerializer.serializeMap(entries, keys, values);
    }

    // ---- for iterators

    int changes() {
        return changes;
    }

    UK readUserKey(byte[] bytes, int offset, int length) throws IOException {
        return userKeySerializer.deserialize(rows.view(bytes, offset, length));
    }

    @Nullable
    UV readUserValue(byte[] bytes, int offset, int length) throws IOException {
        return readUserValue(rows.view(bytes, offset, length), userValueSerializer);
    }

    /** The present value of an entry, or {@code otherwise} when the entry is gone. */
    @Nullable
    UV readEntry(int keyGroup, OutputBuffer entryKey, int prefixLength, @Nullable UV otherwise)
            throws IOException {
        DataInputDeserializer stored =
                rows.getEntry(id, keyGroup, entryKey.segment(), prefixLength, entryKey.length());
        return stored == null ? otherwise : readUserValue(stored, userValueSerializer);
    }

    void removeEntry(int keyGroup, OutputBuffer entryKey, int prefixLength) {
        rows.store().mapRemove(id, keyGroup, entryKey.segment(), prefixLength, entryKey.length());
        changes++;
    }

    void replaceEntry(int keyGroup, OutputBuffer entryKey, int prefixLength, @Nullable UV userValue)
            throws IOException {
        OutputBuffer output = rows.output();
        writeUserValue(userValue, userValueSerializer, output.clear());
        rows.store()
                .mapPut(
                        id,
                        keyGroup,
                        entryKey.segment(),
                        prefixLength,
                        entryKey.length(),
                        output.segment(),
                        output.length());
        changes++;
    }

    // ---- migration

    @Override
    @SuppressWarnings("unchecked")
    void migrate(
            DataInputDeserializer stored,
            DataOutputSerializer migrated,
            TtlAwareSerializer<Map<UK, UV>, ?> from,
            TtlAwareSerializer<Map<UK, UV>, ?> to,
            TtlTimeProvider time)
            throws StateMigrationException {
        TtlAwareSerializer<UV, ?> fromValue =
                ((TtlAwareMapSerializer<UK, UV>) from).getValueSerializer();
        TtlAwareSerializer<UV, ?> toValue =
                ((TtlAwareMapSerializer<UK, UV>) to).getValueSerializer();
        try {
            UV value = readUserValue(stored, fromValue);
            if (toValue.isTtlEnabled() && !fromValue.isTtlEnabled()) {
                // A null value is stamped too, or its entry would be missing from now on.
                value = (UV) new TtlValue<>(value, time.currentTimestamp());
            } else if (fromValue.isTtlEnabled() && !toValue.isTtlEnabled()) {
                value = value == null ? null : (UV) ((TtlValue<?>) value).getUserValue();
            }
            writeUserValue(value, toValue, migrated);
        } catch (Exception e) {
            throw new StateMigrationException("A stored map entry cannot be migrated.", e);
        }
    }

    @Override
    void putMigrated(
            int keyGroup, MemorySegment rowKey, int prefixLength, int length, OutputBuffer value) {
        rows.store()
                .mapPut(
                        id,
                        keyGroup,
                        rowKey,
                        prefixLength,
                        length,
                        value.segment(),
                        value.length());
    }

    private void selectEntry(UK userKey) throws IOException {
        selectRow();
        rows.key().setUserKey(userKey, userKeySerializer);
    }

    private static <T> void writeUserValue(
            @Nullable T userValue, TypeSerializer<T> serializer, DataOutputSerializer view)
            throws IOException {
        view.writeBoolean(userValue == null);
        if (userValue != null) {
            serializer.serialize(userValue, view);
        }
    }

    @Nullable
    private static <T> T readUserValue(DataInputDeserializer stored, TypeSerializer<T> serializer)
            throws IOException {
        return stored.readBoolean() ? null : serializer.deserialize(stored);
    }
}
