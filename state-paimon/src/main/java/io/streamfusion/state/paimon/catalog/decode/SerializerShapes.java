package io.streamfusion.state.paimon.catalog.decode;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.BigDecSerializer;
import org.apache.flink.api.common.typeutils.base.BigIntSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.EnumSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.InstantSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LocalDateSerializer;
import org.apache.flink.api.common.typeutils.base.LocalDateTimeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.runtime.NullableSerializer;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.Row;

/** Knows the SQL type of what Flink's serializers write. */
final class SerializerShapes {
    private static final LogicalType STRING = new VarCharType(VarCharType.MAX_LENGTH);
    private static final int NANOS = 9;

    /**
     * A type without parts.
     *
     * @param conversion of its objects to internal data
     */
    private record Scalar(LogicalType type, Function<Object, Object> conversion) {}

    private static final Map<Class<?>, Scalar> SCALARS =
            Map.ofEntries(
                    Map.entry(BooleanSerializer.class, asIs(new BooleanType())),
                    Map.entry(ByteSerializer.class, asIs(new TinyIntType())),
                    Map.entry(ShortSerializer.class, asIs(new SmallIntType())),
                    Map.entry(IntSerializer.class, asIs(new IntType())),
                    Map.entry(LongSerializer.class, asIs(new BigIntType())),
                    Map.entry(FloatSerializer.class, asIs(new FloatType())),
                    Map.entry(DoubleSerializer.class, asIs(new DoubleType())),
                    Map.entry(BytePrimitiveArraySerializer.class, asIs(Shape.BYTES)),
                    Map.entry(StringSerializer.class, text()),
                    Map.entry(CharSerializer.class, text()),
                    // Of any precision and scale, which no DECIMAL type has.
                    Map.entry(BigIntSerializer.class, text()),
                    Map.entry(BigDecSerializer.class, text()),
                    Map.entry(
                            EnumSerializer.class,
                            new Scalar(STRING, v -> StringData.fromString(((Enum<?>) v).name()))),
                    Map.entry(
                            LocalDateSerializer.class,
                            new Scalar(
                                    new DateType(),
                                    v -> Math.toIntExact(((LocalDate) v).toEpochDay()))),
                    Map.entry(
                            LocalDateTimeSerializer.class,
                            new Scalar(
                                    new TimestampType(NANOS),
                                    v -> TimestampData.fromLocalDateTime((LocalDateTime) v))),
                    Map.entry(
                            InstantSerializer.class,
                            new Scalar(
                                    new LocalZonedTimestampType(NANOS),
                                    v -> TimestampData.fromInstant((Instant) v))),
                    Map.entry(TimeWindow.Serializer.class, window()));

    private SerializerShapes() {}

    private static Scalar asIs(LogicalType type) {
        return new Scalar(type, value -> value);
    }

    private static Scalar text() {
        return new Scalar(STRING, value -> StringData.fromString(value.toString()));
    }

    private static Scalar window() {
        return new Scalar(
                windowType(),
                value -> {
                    TimeWindow window = (TimeWindow) value;
                    return GenericRowData.of(window.getStart(), window.getEnd());
                });
    }

    /** The type of windows of time: milliseconds, the end exclusive. */
    static LogicalType windowType() {
        return RowType.of(
                new LogicalType[] {new BigIntType(), new BigIntType()},
                new String[] {"window_start", "window_end"});
    }

    /** The shape of {@code serializer}'s values; bytes when it is of no known kind. */
    static Shape of(TypeSerializer<?> serializer) {
        Scalar scalar = SCALARS.get(serializer.getClass());
        if (scalar != null) {
            return Shape.typed(scalar.type(), serializer, scalar.conversion()::apply);
        }
        Optional<Shape> sql = SqlSerializerShapes.of(serializer);
        if (sql.isPresent()) {
            return sql.get();
        }
        if (serializer instanceof TupleSerializer<?> tuple) {
            return row(
                    tuple, shapes(List.of(tuple.getFieldSerializers())), SerializerShapes::field);
        }
        if (serializer instanceof RowSerializer) {
            return row(
                    serializer,
                    shapes(nested(serializer)),
                    (value, index) -> ((Row) value).getField(index));
        }
        if (serializer instanceof ListSerializer<?> list) {
            return list(list, of(list.getElementSerializer()));
        }
        if (serializer instanceof MapSerializer<?, ?> map) {
            return map(map, of(map.getKeySerializer()), of(map.getValueSerializer()));
        }
        if (serializer instanceof NullableSerializer) {
            Shape inner = of(nested(serializer).get(0));
            return inner.typed()
                    ? Shape.typed(inner.type(), serializer, inner.conversion())
                    : Shape.bytesOf(serializer);
        }
        return Shape.bytesOf(serializer);
    }

    private static Object field(Object tuple, int index) {
        return ((Tuple) tuple).getField(index);
    }

    /** Some serializers name their parts in their snapshot only. */
    static List<TypeSerializer<?>> nested(TypeSerializer<?> serializer) {
        List<TypeSerializer<?>> nested = new ArrayList<>();
        for (TypeSerializerSnapshot<?> snapshot :
                ((CompositeTypeSerializerSnapshot<?, ?>) serializer.snapshotConfiguration())
                        .getNestedSerializerSnapshots()) {
            nested.add(snapshot.restoreSerializer());
        }
        return nested;
    }

    private static List<Shape> shapes(List<? extends TypeSerializer<?>> serializers) {
        return serializers.stream().map(SerializerShapes::of).toList();
    }

    /** Gives a field of an object. */
    @FunctionalInterface
    private interface FieldAccess {
        Object get(Object value, int index);
    }

    private static Shape row(TypeSerializer<?> serializer, List<Shape> fields, FieldAccess access) {
        return Shape.typed(
                RowType.of(fields.stream().map(Shape::type).toArray(LogicalType[]::new)),
                serializer,
                value -> {
                    GenericRowData row = new GenericRowData(fields.size());
                    for (int i = 0; i < fields.size(); i++) {
                        row.setField(i, fields.get(i).convert(access.get(value, i)));
                    }
                    return row;
                });
    }

    private static Shape list(TypeSerializer<?> serializer, Shape element) {
        return Shape.typed(
                new ArrayType(element.type()),
                serializer,
                value -> {
                    List<Object> elements = new ArrayList<>();
                    for (Object next : (List<?>) value) {
                        elements.add(element.convert(next));
                    }
                    return new GenericArrayData(elements.toArray());
                });
    }

    private static Shape map(TypeSerializer<?> serializer, Shape key, Shape value) {
        return Shape.typed(
                new MapType(key.type(), value.type()),
                serializer,
                object -> {
                    Map<Object, Object> entries = new LinkedHashMap<>();
                    for (Map.Entry<?, ?> entry : ((Map<?, ?>) object).entrySet()) {
                        entries.put(key.convert(entry.getKey()), value.convert(entry.getValue()));
                    }
                    return new GenericMapData(entries);
                });
    }
}
