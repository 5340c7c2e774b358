package io.streamfusion.jmh.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.junit.jupiter.api.Test;

class RowFormTest {
    private static final RowDataSerializer THREE_COLUMNS =
            new RowDataSerializer(
                    new BigIntType(),
                    new BigIntType(),
                    new VarBinaryType(VarBinaryType.MAX_LENGTH));

    @Test
    void payloadIsAColumnAsFlinkReadsIt() throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(16);
        THREE_COLUMNS.serialize(new RowForm(176).row(7, 9), out);
        RowData read = THREE_COLUMNS.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));

        assertThat(read.getLong(0)).isEqualTo(7);
        assertThat(read.getLong(1)).isEqualTo(9);
        assertThat(read.getBinary(2)).hasSize(176).isNotEqualTo(new byte[176]);
        assertThat(new RowForm(176).row(8, 9).getBinary(2)).isNotEqualTo(read.getBinary(2));
    }

    @Test
    void entriesAreCountedAsTheyAreSerialized() throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(16);
        THREE_COLUMNS.serialize(new RowForm(176).row(7, 9), out);

        int keyAndNamespace = Long.BYTES + 1;
        assertThat(new RowForm(176).entryBytes()).isEqualTo(keyAndNamespace + out.length());
        assertThat(new RowForm(0).entryBytes()).isEqualTo(BenchRows.ENTRY_BYTES);
    }

    @Test
    void payloadIsWholeWords() {
        assertThatThrownBy(() -> new RowForm(7)).hasMessageContaining("7 bytes");
    }
}
