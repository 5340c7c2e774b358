package io.streamfusion.state.paimon.table;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;

/**
 * What is known of the bytes that a serializer writes.
 *
 * @param skip bytes before what is described here
 * @param coding how the native side has to decode them
 * @param arity number of fields of a row; 0 for a scalar
 * @param fields the decodable fields of a row, or the one scalar
 */
record KnownBytes(int skip, Coding coding, int arity, List<Field> fields) {
    /** A value with a time to live begins with its last access, eight bytes. */
    private static final int TTL_STAMP_BYTES = Long.BYTES;

    private static final Map<Class<?>, ColumnType> SCALARS =
            Map.of(
                    BooleanSerializer.class, ColumnType.BOOLEAN,
                    ByteSerializer.class, ColumnType.TINYINT,
                    ShortSerializer.class, ColumnType.SMALLINT,
                    IntSerializer.class, ColumnType.INT,
                    LongSerializer.class, ColumnType.BIGINT,
                    FloatSerializer.class, ColumnType.FLOAT,
                    DoubleSerializer.class, ColumnType.DOUBLE,
                    StringSerializer.class, ColumnType.STRING,
                    BytePrimitiveArraySerializer.class, ColumnType.BYTES);

    // By name: the table runtime need not be on the class path.
    private static final String TABLE_TYPES = "org.apache.flink.table.runtime.typeutils.";
    private static final String SQL_ROW = TABLE_TYPES + "RowDataSerializer";
    private static final String SQL_STRING = TABLE_TYPES + "StringDataSerializer";

    /** Codings of the native interface. */
    enum Coding {
        SCALAR(0),
        ROW_FIELD(1),
        SQL_SCALAR(2);

        private final int code;

        Coding(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    /**
     * A decodable part.
     *
     * @param index its position in the row
     */
    record Field(int index, ColumnType type) {}

    KnownBytes {
        fields = List.copyOf(fields);
    }

    /** What is known of the bytes of {@code serializer}; empty: nothing. */
    static Optional<KnownBytes> of(TypeSerializer<?> serializer) {
        if (serializer instanceof TtlAwareSerializer<?, ?> aware) {
            return of(aware.getOriginalTypeSerializer());
        }
        if (serializer instanceof TtlSerializer<?> ttl) {
            return of(valueOf(ttl)).map(value -> value.behind(TTL_STAMP_BYTES));
        }
        ColumnType scalar = SCALARS.get(serializer.getClass());
        if (scalar != null) {
            return Optional.of(scalar(Coding.SCALAR, scalar));
        }
        return switch (serializer.getClass().getName()) {
            case SQL_ROW -> SqlRowTypes.of(serializer);
            case SQL_STRING -> Optional.of(scalar(Coding.SQL_SCALAR, ColumnType.STRING));
            default -> Optional.empty();
        };
    }

    /** The same bytes behind {@code more} others. */
    KnownBytes behind(int more) {
        return new KnownBytes(skip + more, coding, arity, fields);
    }

    private static KnownBytes scalar(Coding coding, ColumnType type) {
        return new KnownBytes(0, coding, 0, List.of(new Field(0, type)));
    }

    /** The serializer behind the time stamp, which Flink shows in the snapshot only. */
    private static TypeSerializer<?> valueOf(TtlSerializer<?> ttl) {
        return ((CompositeTypeSerializerSnapshot<?, ?>) ttl.snapshotConfiguration())
                .getNestedSerializerSnapshots()[1].restoreSerializer();
    }
}
