package io.streamfusion.state.paimon.catalog.decode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RawType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.StructuredType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * A type that a column of any table may have, for a type that only lives within an operator: no
 * time attribute, no class of the user, no raw value. Fields keep their positions.
 *
 * @param type the plain type; nullable as the original
 * @param conversion of internal data of the original type; empty when they are the same
 */
record PlainSqlType(LogicalType type, Optional<UnaryOperator<Object>> conversion) {

    /** The plain type for {@code original}; empty when there is none. */
    static Optional<PlainSqlType> of(LogicalType original) {
        boolean nullable = original.isNullable();
        return switch (original.getTypeRoot()) {
            case CHAR, VARCHAR -> same(new VarCharType(nullable, VarCharType.MAX_LENGTH));
            case BINARY, VARBINARY -> same(new VarBinaryType(nullable, VarBinaryType.MAX_LENGTH));
            case NULL -> same(new VarCharType(VarCharType.MAX_LENGTH));
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    same(new TimestampType(nullable, ((TimestampType) original).getPrecision()));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    same(
                            new LocalZonedTimestampType(
                                    nullable, ((LocalZonedTimestampType) original).getPrecision()));
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    FLOAT,
                    DOUBLE,
                    DECIMAL,
                    DATE,
                    TIME_WITHOUT_TIME_ZONE,
                    INTERVAL_DAY_TIME,
                    INTERVAL_YEAR_MONTH ->
                    same(original);
            case RAW -> original instanceof RawType<?> raw ? raw(raw) : Optional.empty();
            case DISTINCT_TYPE -> of(((DistinctType) original).getSourceType());
            case STRUCTURED_TYPE -> structured((StructuredType) original);
            case ROW -> row(((RowType) original).getFieldNames(), original.getChildren(), nullable);
            case ARRAY -> array((ArrayType) original);
            case MAP -> {
                MapType map = (MapType) original;
                yield map(map.getKeyType(), map.getValueType(), nullable);
            }
            case MULTISET ->
                    map(((MultisetType) original).getElementType(), new IntType(false), nullable);
            default -> Optional.empty();
        };
    }

    private static Optional<PlainSqlType> same(LogicalType type) {
        return Optional.of(new PlainSqlType(type, Optional.empty()));
    }

    private static Optional<PlainSqlType> converted(
            LogicalType type, UnaryOperator<Object> conversion) {
        return Optional.of(new PlainSqlType(type, Optional.of(conversion)));
    }

    private boolean isSame() {
        return conversion.isEmpty();
    }

    /** Internal data of the plain type; null stays null. */
    @Nullable
    Object convert(@Nullable Object value) {
        return value == null || conversion.isEmpty() ? value : conversion.get().apply(value);
    }

    private static <T> Optional<PlainSqlType> raw(RawType<T> raw) {
        TypeSerializer<T> serializer = raw.getTypeSerializer();
        return converted(
                new VarBinaryType(raw.isNullable(), VarBinaryType.MAX_LENGTH),
                value -> RawBytes.of(value, serializer));
    }

    /** Keeps the unchecked step in one place. */
    private static final class RawBytes {
        @SuppressWarnings("unchecked")
        static <T> byte[] of(Object value, TypeSerializer<T> serializer) {
            return ((RawValueData<T>) value).toBytes(serializer);
        }
    }

    private static Optional<PlainSqlType> structured(StructuredType type) {
        List<String> names =
                type.getAttributes().stream()
                        .map(StructuredType.StructuredAttribute::getName)
                        .toList();
        return row(names, type.getChildren(), type.isNullable());
    }

    private static Optional<PlainSqlType> row(
            List<String> names, List<LogicalType> types, boolean nullable) {
        List<PlainSqlType> fields = new ArrayList<>();
        List<RowType.RowField> rowFields = new ArrayList<>();
        RowData.FieldGetter[] getters = new RowData.FieldGetter[types.size()];
        boolean same = true;
        for (int i = 0; i < types.size(); i++) {
            Optional<PlainSqlType> field = of(types.get(i));
            if (field.isEmpty()) {
                return Optional.empty();
            }
            fields.add(field.get());
            rowFields.add(new RowType.RowField(names.get(i), field.get().type()));
            getters[i] = RowData.createFieldGetter(types.get(i), i);
            same &= field.get().isSame();
        }
        RowType type = new RowType(nullable, rowFields);
        if (same) {
            return same(type);
        }
        return converted(
                type,
                value -> {
                    RowData row = (RowData) value;
                    GenericRowData plain = new GenericRowData(row.getRowKind(), fields.size());
                    for (int i = 0; i < getters.length; i++) {
                        plain.setField(i, fields.get(i).convert(getters[i].getFieldOrNull(row)));
                    }
                    return plain;
                });
    }

    private static Optional<PlainSqlType> array(ArrayType original) {
        LogicalType elementType = original.getElementType();
        Optional<PlainSqlType> element = of(elementType);
        if (element.isEmpty()) {
            return Optional.empty();
        }
        LogicalType type = new ArrayType(original.isNullable(), element.get().type());
        return element.get().isSame()
                ? same(type)
                : converted(
                        type,
                        value ->
                                new GenericArrayData(
                                        elements((ArrayData) value, elementType, element.get())));
    }

    private static Optional<PlainSqlType> map(
            LogicalType keyType, LogicalType valueType, boolean nullable) {
        Optional<PlainSqlType> key = of(keyType);
        Optional<PlainSqlType> value = of(valueType);
        if (key.isEmpty() || value.isEmpty()) {
            return Optional.empty();
        }
        LogicalType type = new MapType(nullable, key.get().type(), value.get().type());
        if (key.get().isSame() && value.get().isSame()) {
            return same(type);
        }
        return converted(
                type,
                object -> {
                    MapData map = (MapData) object;
                    Object[] keys = elements(map.keyArray(), keyType, key.get());
                    Object[] values = elements(map.valueArray(), valueType, value.get());
                    Map<Object, Object> plain = new LinkedHashMap<>();
                    for (int i = 0; i < keys.length; i++) {
                        plain.put(keys[i], values[i]);
                    }
                    return new GenericMapData(plain);
                });
    }

    private static Object[] elements(ArrayData array, LogicalType type, PlainSqlType plain) {
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
        Object[] elements = new Object[array.size()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = plain.convert(getter.getElementOrNull(array, i));
        }
        return elements;
    }
}
