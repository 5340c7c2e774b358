package io.streamfusion.state.memory.keyed;

import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.ListDelimitedSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer.TtlAwareListSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.StateMigrationException;

/** List state: appending writes a chunk and never reads; the joined chunks are the list's bytes. */
final class NativeListState<K, N, V> extends AbstractNativeState<K, N, List<V>>
        implements InternalListState<K, N, V> {
    private static final byte DELIMITER = ',';
    private static final String NULL_ELEMENT = "A list state holds no null elements.";
    private static final String NULL_LIST = "The list of elements is null.";

    private TypeSerializer<V> elementSerializer;

    NativeListState(NativeKeyedStateBackend<K> backend, StateSpec<N, List<V>> spec) {
        super(backend, spec);
        adopt(spec);
    }

    @Override
    void adopt(StateSpec<N, List<V>> spec) {
        super.adopt(spec);
        elementSerializer = ((ListSerializer<V>) spec.valueSerializer()).getElementSerializer();
    }

    @Override
    @Nullable
    public Iterable<V> get() throws IOException {
        return getInternal();
    }

    @Override
    @Nullable
    public List<V> getInternal() throws IOException {
        selectRow();
        DataInputDeserializer stored = rows.getList(id);
        if (stored == null) {
            return null;
        }
        List<V> elements = new ArrayList<>();
        V next;
        while ((next = ListDelimitedSerializer.deserializeNextElement(stored, elementSerializer))
                != null) {
            elements.add(next);
        }
        return elements;
    }

    @Override
    public void add(V element) throws IOException {
        Objects.requireNonNull(element, NULL_ELEMENT);
        selectRow();
        elementSerializer.serialize(element, rows.output().clear());
        rows.addToList(id);
    }

    @Override
    public void addAll(List<V> elements) throws IOException {
        Objects.requireNonNull(elements, NULL_LIST);
        if (!elements.isEmpty()) {
            selectRow();
            join(elements);
            rows.addToList(id);
        }
    }

    @Override
    public void update(List<V> elements) throws IOException {
        updateInternal(elements);
    }

    @Override
    public void updateInternal(List<V> elements) throws IOException {
        Objects.requireNonNull(elements, NULL_LIST);
        if (elements.isEmpty()) {
            clear();
            return;
        }
        selectRow();
        join(elements);
        rows.putList(id);
    }

    @Override
    public void clear() {
        selectRow();
        rows.clearList(id);
    }

    @Override
    public void mergeNamespaces(N target, @Nullable Collection<N> sources) throws IOException {
        if (sources == null || sources.isEmpty()) {
            return;
        }
        N before = currentNamespace();
        DataOutputSerializer merged = rows.output().clear();
        for (N source : sources) {
            setCurrentNamespace(source);
            selectRow();
            DataInputDeserializer stored = rows.getList(id);
            if (stored != null) {
                if (merged.length() > 0) {
                    merged.writeByte(DELIMITER);
                }
                rows.appendLastRead(stored.available());
                rows.clearList(id);
            }
        }
        if (merged.length() > 0) {
            setCurrentNamespace(target);
            selectRow();
            rows.addToList(id);
        }
        setCurrentNamespace(before);
    }

    @Override
    @Nullable
    byte[] serialized(RowAccess<K> request, TypeSerializer<List<V>> safeValueSerializer)
            throws IOException {
        return remaining(request.getList(id));
    }

    @Override
    @SuppressWarnings("unchecked")
    void migrate(
            DataInputDeserializer stored,
            DataOutputSerializer migrated,
            TtlAwareSerializer<List<V>, ?> from,
            TtlAwareSerializer<List<V>, ?> to,
            TtlTimeProvider time)
            throws StateMigrationException {
        TtlAwareSerializer<V, ?> fromElement =
                ((TtlAwareListSerializer<V>) from).getElementSerializer();
        TtlAwareSerializer<V, ?> toElement =
                ((TtlAwareListSerializer<V>) to).getElementSerializer();
        try {
            while (stored.available() > 0) {
                toElement.migrateValueFromPriorSerializer(
                        fromElement,
                        () -> ListDelimitedSerializer.deserializeNextElement(stored, fromElement),
                        migrated,
                        time);
                if (stored.available() > 0) {
                    migrated.writeByte(DELIMITER);
                }
            }
        } catch (Exception e) {
            throw new StateMigrationException("A stored list cannot be migrated.", e);
        }
    }

    @Override
    void putMigrated(
            int keyGroup, MemorySegment rowKey, int prefixLength, int length, OutputBuffer value) {
        rows.store().listPut(id, keyGroup, rowKey, length, value.segment(), value.length());
    }

    private void join(List<V> elements) throws IOException {
        DataOutputSerializer view = rows.output().clear();
        boolean first = true;
        for (V element : elements) {
            Objects.requireNonNull(element, NULL_ELEMENT);
            if (!first) {
                view.writeByte(DELIMITER);
            }
            first = false;
            elementSerializer.serialize(element, view);
        }
    }
}
