package io.streamfusion.sql.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.runtime.BatchMemory;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that went through batches are the same rows, to the byte. */
@ExtendWith(NoNativeLeaks.class)
class RowsAndBatchesTest {
    private static final RowType TYPE =
            RowType.of(
                    new BooleanType(),
                    new SmallIntType(),
                    new DoubleType(),
                    new DecimalType(12, 3),
                    new DecimalType(38, 5),
                    new TimestampType(3),
                    new TimestampType(9),
                    VarCharType.STRING_TYPE,
                    new VarBinaryType(VarBinaryType.MAX_LENGTH),
                    RowType.of(new IntType(), VarCharType.STRING_TYPE),
                    new ArrayType(VarCharType.STRING_TYPE));

    private final RowDataSerializer serializer = new RowDataSerializer(TYPE);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void rowsComeBack(long seed) {
        Random random = new Random(seed);
        BatchSettings settings = BatchSettings.defaults();
        try (BatchMemory memory = BatchMemory.open(settings);
                RowBatcher batcher = new RowBatcher(memory.budget(), TYPE, "test");
                BatchRows rows = new BatchRows(TYPE, "test", seed % 2 == 0)) {
            List<BinaryRowData> in = new ArrayList<>();
            List<BinaryRowData> out = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                RowData row = row(random);
                in.add(serializer.toBinaryRow(row, true).copy());
                batcher.add(row);
                if (random.nextInt(40) == 0 || i == 499) {
                    try (NativeBatch batch = batcher.take()) {
                        rows.emit(batch, made -> out.add(((BinaryRowData) made).copy()));
                    }
                }
            }
            assertThat(out).isEqualTo(in);
        }
    }

    private static RowData row(Random random) {
        GenericRowData row = new GenericRowData(TYPE.getFieldCount());
        row.setRowKind(RowKind.fromByteValue((byte) random.nextInt(4)));
        for (int i = 0; i < TYPE.getFieldCount(); i++) {
            row.setField(i, random.nextInt(4) == 0 ? null : value(random, i, TYPE.getTypeAt(i)));
        }
        return row;
    }

    private static Object value(Random random, int field, LogicalType type) {
        return switch (field) {
            case 0 -> random.nextBoolean();
            case 1 -> (short) random.nextInt();
            case 2 -> random.nextInt(5) == 0 ? -0.0 : Double.longBitsToDouble(random.nextLong());
            case 3, 4 -> {
                DecimalType decimal = (DecimalType) type;
                yield DecimalData.fromBigDecimal(
                        BigDecimal.valueOf(random.nextInt(), decimal.getScale()),
                        decimal.getPrecision(),
                        decimal.getScale());
            }
            case 5 -> TimestampData.fromEpochMillis(random.nextInt() * 1000L);
            case 6 -> TimestampData.fromEpochMillis(random.nextInt(), random.nextInt(1_000_000));
            case 8 -> bytes(random);
            case 9 -> GenericRowData.of(random.nextInt(), string(random));
            case 10 -> new GenericArrayData(new Object[] {string(random), null, string(random)});
            default -> string(random);
        };
    }

    private static StringData string(Random random) {
        // Also what is not UTF-8: Flink passes it on.
        return StringData.fromBytes(bytes(random));
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return bytes;
    }
}
