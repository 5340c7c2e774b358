package io.streamfusion.sql.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeException;
import io.streamfusion.sql.edge.BatchRows;
import io.streamfusion.sql.edge.RowBatcher;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A batch that crossed the network is the same, and its receiver's. */
@ExtendWith(NoNativeLeaks.class)
class NativeBatchSerializerTest {
    private static final RowType TYPE = RowType.of(new BigIntType());

    @Test
    void aBatchCrosses() throws Exception {
        TypeSerializer<Object> serializer =
                InstantiationUtil.clone(new NativeBatchSerializer(TYPE));
        List<RowData> rows = List.of(row(RowKind.INSERT, 1L), row(RowKind.DELETE, null));
        try (BatchMemory memory = BatchMemory.open(BatchSettings.defaults());
                RowBatcher batcher = new RowBatcher(memory.budget(), TYPE, "test");
                BatchRows writer = new BatchRows(TYPE, "test", false)) {
            rows.forEach(batcher::add);
            DataOutputSerializer sent = new DataOutputSerializer(16);
            try (NativeBatch batch = batcher.take()) {
                serializer.serialize(NativeBatchRecord.lend(batch), sent);
            }
            byte[] bytes = copied(serializer, sent.getCopyOfBuffer());
            NativeBatchRecord there = (NativeBatchRecord) deserialize(serializer, bytes);
            List<RowData> received = new ArrayList<>();
            try (NativeBatch batch = there.take()) {
                writer.emit(batch, received::add);
            }
            assertThat(there.batch().isClosed()).as("it was the receiver's").isTrue();
            assertThat(received).isEqualTo(rows);

            bytes[bytes.length / 2] ^= 1;
            assertThatThrownBy(() -> deserialize(serializer, bytes))
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.kind()).isEqualTo(NativeException.Kind.CORRUPT));
        }
        assertThatThrownBy(() -> deserialize(serializer, new byte[8]))
                .hasMessage("no native operator is open");
    }

    private static byte[] copied(TypeSerializer<Object> serializer, byte[] bytes) throws Exception {
        DataOutputSerializer copy = new DataOutputSerializer(16);
        serializer.copy(new DataInputDeserializer(bytes), copy);
        assertThat(copy.getCopyOfBuffer()).isEqualTo(bytes);
        return copy.getCopyOfBuffer();
    }

    private static Object deserialize(TypeSerializer<Object> serializer, byte[] bytes)
            throws Exception {
        return serializer.deserialize(new DataInputDeserializer(bytes));
    }

    private static RowData row(RowKind kind, Long value) {
        GenericRowData row = GenericRowData.of(value);
        row.setRowKind(kind);
        return new RowDataSerializer(TYPE).toBinaryRow(row, true);
    }
}
