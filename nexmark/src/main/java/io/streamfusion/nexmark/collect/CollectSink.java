package io.streamfusion.nexmark.collect;

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.table.data.RowData;

/**
 * Writes into the {@link CollectedTable} of an id.
 *
 * @param key null for a table without primary key
 */
record CollectSink(String id, RowText row, RowText key) implements Sink<RowData> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
        int subtask = context.getTaskInfo().getIndexOfThisSubtask();
        return new Writer(CollectedTable.find(id).newPart(subtask, key != null));
    }

    private final class Writer implements SinkWriter<RowData> {
        private final CollectedTable.Part part;

        private Writer(CollectedTable.Part part) {
            this.part = part;
        }

        @Override
        public void write(RowData change, Context context) {
            part.apply(change.getRowKind(), key == null ? null : key.of(change), row.of(change));
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
