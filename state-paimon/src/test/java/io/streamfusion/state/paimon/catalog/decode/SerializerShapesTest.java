package io.streamfusion.state.paimon.catalog.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.ArrayDataSerializer;
import org.apache.flink.table.runtime.typeutils.DecimalDataSerializer;
import org.apache.flink.table.runtime.typeutils.InternalSerializers;
import org.apache.flink.table.runtime.typeutils.MapDataSerializer;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.typeutils.StringDataSerializer;
import org.apache.flink.table.runtime.typeutils.TimestampDataSerializer;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RawType;
import org.apache.flink.table.types.logical.TimestampKind;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

class SerializerShapesTest {
    private static final LogicalType STRING = new VarCharType(VarCharType.MAX_LENGTH);

    /** What is read back of {@code value}'s bytes. */
    private static <T> Object decoded(TypeSerializer<T> serializer, T value) throws IOException {
        Shape shape = SerializerShapes.of(serializer);
        DataInputDeserializer in = new DataInputDeserializer(BackendBytes.bytes(serializer, value));
        Object decoded = shape.convert(shape.read(in));
        assertThat(in.available()).isZero();
        return decoded;
    }

    private static String type(TypeSerializer<?> serializer) {
        return SerializerShapes.of(serializer).type().asSummaryString();
    }

    private static <T> TypeSerializer<T> serializer(TypeInformation<T> type) {
        return type.createSerializer(new SerializerConfigImpl());
    }

    @Test
    void scalars() throws IOException {
        assertThat(type(serializer(Types.SHORT))).isEqualTo("SMALLINT");
        assertThat(decoded(serializer(Types.SHORT), (short) 3)).isEqualTo((short) 3);
        assertThat(type(serializer(Types.STRING))).isEqualTo("STRING");
        assertThat(decoded(serializer(Types.STRING), "ü")).isEqualTo(StringData.fromString("ü"));
        assertThat(type(serializer(Types.LOCAL_DATE))).isEqualTo("DATE");
        assertThat(decoded(serializer(Types.LOCAL_DATE), LocalDate.of(1969, 12, 31))).isEqualTo(-1);
        assertThat(type(serializer(Types.INSTANT))).isEqualTo("TIMESTAMP_LTZ(9)");
        assertThat(decoded(serializer(Types.INSTANT), Instant.ofEpochSecond(5, 7)))
                .isEqualTo(TimestampData.fromEpochMillis(5000, 7));
        assertThat(decoded(serializer(Types.BIG_DEC), new BigDecimal("1.50")))
                .isEqualTo(StringData.fromString("1.50"));
        assertThat(decoded(serializer(Types.ENUM(Thread.State.class)), Thread.State.NEW))
                .isEqualTo(StringData.fromString("NEW"));
    }

    @Test
    void tuplesRowsListsAndMaps() throws IOException {
        TypeSerializer<Tuple3<Long, String, List<Integer>>> tuples =
                serializer(Types.TUPLE(Types.LONG, Types.STRING, Types.LIST(Types.INT)));
        assertThat(type(tuples)).isEqualTo("ROW<`f0` BIGINT, `f1` STRING, `f2` ARRAY<INT>>");
        RowData tuple = (RowData) decoded(tuples, Tuple3.of(1L, "x", List.of(4, 5)));
        assertThat(tuple.getLong(0)).isEqualTo(1);
        assertThat(tuple.getArray(2).getInt(1)).isEqualTo(5);

        TypeSerializer<Row> rows = serializer(Types.ROW(Types.INT, Types.STRING));
        assertThat(type(rows)).isEqualTo("ROW<`f0` INT, `f1` STRING>");
        RowData row = (RowData) decoded(rows, Row.of(null, "y"));
        assertThat(row.isNullAt(0)).isTrue();
        assertThat(row.getString(1).toString()).isEqualTo("y");

        TypeSerializer<Map<String, Integer>> maps = serializer(Types.MAP(Types.STRING, Types.INT));
        assertThat(type(maps)).isEqualTo("MAP<STRING, INT>");
        assertThat(((MapData) decoded(maps, Map.of("a", 1))).keyArray().getString(0).toString())
                .isEqualTo("a");
    }

    @Test
    void whatIsNotKnownIsBytes() throws IOException {
        TypeSerializer<Thread.State[]> unknown =
                serializer(TypeInformation.of(new TypeHint<Thread.State[]>() {}));
        Shape shape = SerializerShapes.of(unknown);
        Thread.State[] value = {Thread.State.NEW};

        assertThat(shape.typed()).isFalse();
        assertThat(decoded(unknown, value)).isEqualTo(BackendBytes.bytes(unknown, value));
    }

    @Test
    void rowsOfSql() throws IOException {
        RowDataSerializer rows =
                new RowDataSerializer(
                        new BigIntType(false),
                        STRING,
                        new TimestampType(true, TimestampKind.ROWTIME, 3),
                        new DecimalType(10, 2));
        assertThat(type(rows))
                .isEqualTo(
                        "ROW<`f0` BIGINT NOT NULL, `f1` STRING, `f2` TIMESTAMP(3), `f3`"
                                + " DECIMAL(10, 2)>");
        RowData row =
                (RowData)
                        decoded(
                                rows,
                                GenericRowData.of(
                                        1L,
                                        StringData.fromString("s"),
                                        TimestampData.fromEpochMillis(9),
                                        DecimalData.fromBigDecimal(new BigDecimal("2.25"), 10, 2)));
        assertThat(row.getLong(0)).isEqualTo(1);
        assertThat(row.getString(1).toString()).isEqualTo("s");
        assertThat(row.getTimestamp(2, 3).getMillisecond()).isEqualTo(9);
        assertThat(row.getDecimal(3, 10, 2).toBigDecimal()).isEqualByComparingTo("2.25");
    }

    @Test
    void rawValuesInRowsOfSqlAreBytes() throws IOException {
        RowDataSerializer rows =
                new RowDataSerializer(
                        new IntType(),
                        new ArrayType(new RawType<>(Long.class, LongSerializer.INSTANCE)));
        assertThat(type(rows)).isEqualTo("ROW<`f0` INT, `f1` ARRAY<BYTES>>");
        RowData row =
                (RowData)
                        decoded(
                                rows,
                                GenericRowData.of(
                                        1,
                                        new GenericArrayData(
                                                new Object[] {RawValueData.fromObject(258L)})));
        ArrayData array = row.getArray(1);
        assertThat(HexFormat.of().formatHex(array.getBinary(0))).isEqualTo("0000000000000102");
    }

    @Test
    void otherSerializersOfSql() throws IOException {
        assertThat(type(StringDataSerializer.INSTANCE)).isEqualTo("STRING");
        assertThat(type(new DecimalDataSerializer(12, 3))).isEqualTo("DECIMAL(12, 3)");
        assertThat(type(new TimestampDataSerializer(6))).isEqualTo("TIMESTAMP(6)");
        assertThat(type(new ArrayDataSerializer(new IntType()))).isEqualTo("ARRAY<INT>");
        assertThat(type(new MapDataSerializer(STRING, new IntType())))
                .isEqualTo("MAP<STRING, INT>");
        assertThat(
                        decoded(
                                InternalSerializers.<MapData>create(
                                        new MapType(STRING, new IntType())),
                                new GenericMapData(Map.of(StringData.fromString("a"), 1))))
                .isInstanceOf(MapData.class);
        assertThat(
                        decoded(
                                new DecimalDataSerializer(12, 3),
                                DecimalData.fromUnscaledLong(1500, 12, 3)))
                .isEqualTo(DecimalData.fromUnscaledLong(1500, 12, 3));
    }

    @Test
    void windowsOfSql() throws IOException {
        RowData window =
                (RowData)
                        decoded(
                                new org.apache.flink.table.runtime.operators.window.TimeWindow
                                        .Serializer(),
                                org.apache.flink.table.runtime.operators.window.TimeWindow.of(
                                        5, 10));
        assertThat(window.getLong(0)).isEqualTo(5);
        assertThat(window.getLong(1)).isEqualTo(10);
    }
}
