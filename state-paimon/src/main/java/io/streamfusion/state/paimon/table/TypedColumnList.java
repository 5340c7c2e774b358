package io.streamfusion.state.paimon.table;

import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.state.memory.registry.RegisteredState;
import io.streamfusion.state.memory.registry.StateRegistry;
import io.streamfusion.state.paimon.table.TypedColumn.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;

/**
 * Collects the typed columns of a backend: {@code key} for the key, {@code v_<state>} for values,
 * {@code uk_<state>} for user keys; a row of fields has a column per field, with its position
 * behind the name. States in the order of their numbers, so that a new one comes last.
 */
final class TypedColumnList {
    /** The value of a map's entry is behind a byte that tells null. */
    private static final int MAP_NULL_FLAG_BYTES = 1;

    private final List<TypedColumn> columns = new ArrayList<>();
    private final ColumnNames names;

    TypedColumnList(Map<String, ColumnType> before) {
        names = new ColumnNames(before, TableSchemas.fixedNames());
    }

    List<TypedColumn> of(StateRegistry registry, TypeSerializer<?> keySerializer) {
        add("key", "", Source.KEY, TypedColumn.EVERY_STATE, KnownBytes.of(keySerializer));
        for (RegisteredState state : registry.states()) {
            if (state.kind() == NativeStateKind.VALUE || state.kind() == NativeStateKind.MAP) {
                add(state, TableColumns.metaInfo(state).getStateSerializer());
            }
            // Timers have a time and no value; elements of a list are several in one value.
        }
        return columns;
    }

    private void add(RegisteredState state, TypeSerializer<?> serializer) {
        TypeSerializer<?> inner = serializer;
        if (inner instanceof TtlAwareSerializer<?, ?> aware) {
            inner = aware.getOriginalTypeSerializer();
        }
        if (state.kind() == NativeStateKind.VALUE) {
            add("v_", state.name(), Source.VALUE, state.id(), KnownBytes.of(inner));
        } else if (inner instanceof MapSerializer<?, ?> map) {
            add(
                    "uk_",
                    state.name(),
                    Source.USER_KEY,
                    state.id(),
                    KnownBytes.of(map.getKeySerializer()));
            add(
                    "v_",
                    state.name(),
                    Source.VALUE,
                    state.id(),
                    KnownBytes.of(map.getValueSerializer())
                            .map(value -> value.behind(MAP_NULL_FLAG_BYTES)));
        }
    }

    private void add(
            String prefix, String wish, Source source, int state, Optional<KnownBytes> known) {
        if (known.isEmpty()) {
            return;
        }
        KnownBytes bytes = known.get();
        for (KnownBytes.Field field : bytes.fields()) {
            boolean ofRow = bytes.coding() == KnownBytes.Coding.ROW_FIELD;
            columns.add(
                    new TypedColumn(
                            names.name(
                                    prefix,
                                    ofRow ? wish + "_" + field.index() : wish,
                                    field.type()),
                            TableSchemas.FIRST_TYPED_FIELD + columns.size(),
                            field.type(),
                            source,
                            state,
                            bytes.coding(),
                            field.index(),
                            bytes.arity(),
                            bytes.skip()));
        }
    }
}
