package io.streamfusion.state.paimon.table;

import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.state.memory.registry.RegisteredState;
import io.streamfusion.state.memory.registry.StateRegistry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;

/**
 * How the rows of a backend become rows of its table: the parts of each state's key, and the typed
 * columns. Equal ones make equal tables.
 *
 * @param parts by number of the state
 * @param typed in the order of the table
 */
public record TableColumns(List<KeyParts> parts, List<TypedColumn> typed) {

    public TableColumns {
        parts = List.copyOf(parts);
        typed = List.copyOf(typed);
    }

    /** The columns without typed ones. */
    public static TableColumns untyped(StateRegistry registry, TypeSerializer<?> keySerializer) {
        List<KeyParts> parts = new ArrayList<>();
        for (RegisteredState state : registry.states()) {
            while (parts.size() <= state.id()) {
                parts.add(KeyParts.WHOLE);
            }
            if (state.kind() != NativeStateKind.TIMER) {
                parts.set(
                        state.id(),
                        KeyParts.of(keySerializer, metaInfo(state).getNamespaceSerializer()));
            }
        }
        return new TableColumns(parts, List.of());
    }

    /**
     * The columns with a typed one for all that can be decoded.
     *
     * @param before columns that earlier data files may have
     */
    public static TableColumns typed(
            StateRegistry registry,
            TypeSerializer<?> keySerializer,
            Map<String, ColumnType> before) {
        return new TableColumns(
                untyped(registry, keySerializer).parts(),
                new TypedColumnList(before).of(registry, keySerializer));
    }

    static RegisteredKeyValueStateBackendMetaInfo<?, ?> metaInfo(RegisteredState state) {
        return (RegisteredKeyValueStateBackendMetaInfo<?, ?>) state.metaInfo();
    }

    /** Names and types of the typed columns. */
    public Map<String, ColumnType> types() {
        Map<String, ColumnType> types = new LinkedHashMap<>();
        typed.forEach(column -> types.put(column.name(), column.type()));
        return types;
    }

    /** As the native side reads it; see {@code NativeStore.columns}. */
    public byte[] description() {
        List<byte[]> names =
                typed.stream().map(c -> c.name().getBytes(StandardCharsets.UTF_8)).toList();
        int size = (2 + 2 * parts.size() + 9 * typed.size()) * Integer.BYTES;
        size += names.stream().mapToInt(name -> name.length).sum();
        byte[] description = new byte[size];
        ByteBuffer out = ByteBuffer.wrap(description).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(parts.size());
        for (KeyParts part : parts) {
            out.putInt(part.namespaceLength()).putInt(part.keyLength());
        }
        out.putInt(typed.size());
        for (int i = 0; i < typed.size(); i++) {
            TypedColumn column = typed.get(i);
            out.putInt(names.get(i).length).put(names.get(i));
            out.putInt(column.fieldId());
            out.putInt(column.type().code());
            out.putInt(column.source().code());
            out.putInt(column.state());
            out.putInt(column.coding().code());
            out.putInt(column.index()).putInt(column.arity()).putInt(column.skip());
        }
        return description;
    }
}
