package io.streamfusion.sql.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.plan.proto.Form;
import io.streamfusion.plan.proto.JsonWriter;
import io.streamfusion.plan.proto.Writer;
import io.streamfusion.sql.edge.RowBatcher;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.plan.TypeEncoder;
import io.streamfusion.sql.runtime.BatchMemory;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The records of a batch reach the writer inside in order, with their kinds, as bytes. */
@ExtendWith(NoNativeLeaks.class)
@SuppressWarnings("try") // what may be interrupted is Flink's
class BatchSinkWriterTest {
    private static final RowType TYPE =
            RowType.of(
                    new LogicalType[] {new BigIntType(), VarCharType.STRING_TYPE},
                    new String[] {"id", "name"});

    private static final Form JSON_VALUE =
            Form.newBuilder()
                    .addColumns(0)
                    .addColumns(1)
                    .setJson(JsonWriter.getDefaultInstance())
                    .build();

    private final SimpleCounter numRecordsIn = new SimpleCounter();
    private final Inner inner = new Inner();

    @Test
    void valuesAreWrittenInOrder() throws Exception {
        byte[] plan = plan(Writer.newBuilder().setValue(JSON_VALUE));
        write(plan, RowKind.INSERT, RowKind.INSERT);
        assertThat(inner.written)
                .containsExactly("+I {\"id\":0,\"name\":\"n0\"}", "+I {\"id\":1,\"name\":\"n1\"}");
        assertThat(numRecordsIn.getCount()).isEqualTo(1);
    }

    @Test
    void upsertsHaveKeysAndTombstones() throws Exception {
        Form key = Form.newBuilder().addColumns(0).setJson(JsonWriter.getDefaultInstance()).build();
        byte[] plan = plan(Writer.newBuilder().setValue(JSON_VALUE).setKey(key).setUpsert(true));
        write(plan, RowKind.INSERT, RowKind.DELETE, RowKind.UPDATE_AFTER);
        assertThat(inner.written)
                .containsExactly(
                        "+I {\"id\":0} {\"id\":0,\"name\":\"n0\"}",
                        "-D {\"id\":1} null",
                        "+U {\"id\":2} {\"id\":2,\"name\":\"n2\"}");
    }

    @Test
    void aWriterThatFailsFreesTheBatch() throws Exception {
        inner.failure = new IOException("full");
        byte[] plan = plan(Writer.newBuilder().setValue(JSON_VALUE));
        assertThatThrownBy(() -> write(plan, RowKind.INSERT)).isSameAs(inner.failure);
    }

    private static byte[] plan(Writer.Builder writer) {
        return writer.setDescription("Sink(table=[t])")
                .setInput(TypeEncoder.encode(TYPE))
                .build()
                .toByteArray();
    }

    private void write(byte[] plan, RowKind... kinds) throws Exception {
        try (BatchMemory memory = BatchMemory.open(BatchSettings.defaults());
                RowBatcher batcher = new RowBatcher(memory.budget(), TYPE, "test");
                var writer =
                        BatchSinkWriter.<String, String>open(plan, numRecordsIn, () -> inner)) {
            for (int i = 0; i < kinds.length; i++) {
                GenericRowData row = GenericRowData.of((long) i, StringData.fromString("n" + i));
                row.setRowKind(kinds[i]);
                batcher.add(row);
            }
            try (NativeBatch batch = batcher.take()) {
                writer.write(NativeBatchRecord.lend(batch), null);
            }
            assertThat(writer.prepareCommit()).containsExactly("committable");
            assertThat(writer.snapshotState(1)).containsExactly("state");
        }
        assertThat(inner.closed).isTrue();
    }

    /** Says what it was given, as a table sink's serializer would look at it. */
    private static final class Inner
            implements StatefulSinkWriter<RowData, String>, CommittingSinkWriter<RowData, String> {
        private final List<String> written = new ArrayList<>();
        private IOException failure;
        private boolean closed;

        @Override
        public void write(RowData row, SinkWriter.Context context) throws IOException {
            if (failure != null) {
                throw failure;
            }
            StringBuilder text = new StringBuilder(row.getRowKind().shortString());
            for (int i = 0; i < row.getArity(); i++) {
                byte[] bytes = (byte[]) ((GenericRowData) row).getField(i);
                text.append(' ')
                        .append(bytes == null ? null : new String(bytes, StandardCharsets.UTF_8));
            }
            written.add(text.toString());
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public Collection<String> prepareCommit() {
            return List.of("committable");
        }

        @Override
        public List<String> snapshotState(long checkpointId) {
            return List.of("state");
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
