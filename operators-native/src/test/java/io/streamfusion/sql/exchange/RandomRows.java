package io.streamfusion.sql.exchange;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;

/** Rows of random values, some of them NULL; small numbers and short strings are frequent. */
final class RandomRows {
    /** Types that a key may have. */
    static final List<LogicalType> TYPES =
            List.of(
                    new BooleanType(),
                    new TinyIntType(),
                    new SmallIntType(),
                    new IntType(),
                    new BigIntType(),
                    new FloatType(),
                    new DoubleType(),
                    new DateType(),
                    new TimeType(3),
                    new TimestampType(3),
                    new TimestampType(6),
                    new TimestampType(9),
                    new LocalZonedTimestampType(3),
                    new LocalZonedTimestampType(9),
                    new DecimalType(12, 3),
                    new DecimalType(38, 10),
                    new VarCharType(VarCharType.MAX_LENGTH),
                    new VarBinaryType(VarBinaryType.MAX_LENGTH),
                    new ArrayType(new IntType()),
                    RowType.of(new IntType(), new VarCharType(20)));

    private final Random random;

    RandomRows(long seed) {
        random = new Random(seed);
    }

    /** A row type of one to {@code most} fields. */
    RowType type(int most) {
        LogicalType[] types = new LogicalType[1 + random.nextInt(most)];
        for (int i = 0; i < types.length; i++) {
            types[i] = TYPES.get(random.nextInt(TYPES.size()));
        }
        return RowType.of(types);
    }

    /** At least one of the fields, in any order, none twice. */
    int[] someFields(RowType type) {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            all.add(random.nextInt(all.size() + 1), i);
        }
        int count = 1 + random.nextInt(all.size());
        return all.stream().limit(count).mapToInt(Integer::intValue).toArray();
    }

    /** Rows of a type, of all kinds. */
    List<RowData> rows(RowType type, int count) {
        List<RowData> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            GenericRowData row = row(type);
            row.setRowKind(RowKind.fromByteValue((byte) random.nextInt(4)));
            rows.add(row);
        }
        return rows;
    }

    private GenericRowData row(RowType type) {
        GenericRowData row = new GenericRowData(type.getFieldCount());
        for (int i = 0; i < type.getFieldCount(); i++) {
            row.setField(i, random.nextInt(8) == 0 ? null : value(type.getTypeAt(i)));
        }
        return row;
    }

    private Object value(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) random.nextInt();
            case SMALLINT -> (short) random.nextInt();
            case INTEGER -> random.nextBoolean() ? random.nextInt(20) - 10 : random.nextInt();
            case BIGINT -> random.nextBoolean() ? random.nextInt(20) - 10L : random.nextLong();
            case FLOAT -> oneOf(0f, -0f, Float.NaN, random.nextFloat());
            case DOUBLE -> oneOf(0d, -0d, Double.NEGATIVE_INFINITY, random.nextGaussian());
            case DATE -> random.nextInt(40_000) - 10_000;
            case TIME_WITHOUT_TIME_ZONE -> random.nextInt(86_400_000);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    timestamp(((LocalZonedTimestampType) type).getPrecision());
            case DECIMAL -> decimal((DecimalType) type);
            case VARCHAR -> BinaryStringData.fromBytes(text());
            case VARBINARY -> bytes();
            case ARRAY -> array(((ArrayType) type).getElementType());
            case ROW -> row((RowType) type);
            default -> throw new IllegalArgumentException(type.toString());
        };
    }

    @SafeVarargs
    private <T> T oneOf(T... values) {
        return values[random.nextInt(values.length)];
    }

    private TimestampData timestamp(int precision) {
        int step = precision <= 3 ? 1_000_000 : precision <= 6 ? 1000 : 1;
        long millis = random.nextLong(4_000_000_000_000L) - 1_000_000_000_000L;
        return TimestampData.fromEpochMillis(millis, random.nextInt(1_000_000) / step * step);
    }

    private DecimalData decimal(DecimalType type) {
        BigInteger unscaled =
                random.nextBoolean()
                        ? BigInteger.valueOf(random.nextInt(200) - 100)
                        : new BigInteger(type.getPrecision() * 3, random);
        return DecimalData.fromBigDecimal(
                new BigDecimal(unscaled, type.getScale()), type.getPrecision(), type.getScale());
    }

    /** Not always UTF-8. */
    private byte[] text() {
        byte[] text = new byte[random.nextInt(12)];
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) ('a' + random.nextInt(4));
        }
        if (text.length > 0 && random.nextInt(10) == 0) {
            text[random.nextInt(text.length)] = (byte) 0xff;
        }
        return text;
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return bytes;
    }

    private GenericArrayData array(LogicalType element) {
        Object[] elements = new Object[random.nextInt(4)];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = random.nextInt(5) == 0 ? null : value(element);
        }
        return new GenericArrayData(elements);
    }
}
