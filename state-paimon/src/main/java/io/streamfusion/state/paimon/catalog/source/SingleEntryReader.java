package io.streamfusion.state.paimon.catalog.source;

import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.state.paimon.catalog.decode.EntryDecoder;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.source.DataSplit;

/** Reads values, entries of maps and timers: of each row of the table, one row. */
final class SingleEntryReader implements EntryReader {
    private final NativeStateKind kind;
    private final EntryDecoder decoder;
    private final RecordReader<InternalRow> reader;

    SingleEntryReader(
            NativeStateKind kind, EntryDecoder decoder, PartTable table, List<DataSplit> files)
            throws IOException {
        this.kind = kind;
        this.decoder = decoder;
        this.reader = table.read(files);
    }

    @Override
    public boolean read(Consumer<RowData> rows) throws IOException {
        RecordReader.RecordIterator<InternalRow> batch = reader.readBatch();
        if (batch == null) {
            return false;
        }
        for (InternalRow row = batch.next(); row != null; row = batch.next()) {
            rows.accept(decode(row));
        }
        batch.releaseBatch();
        return true;
    }

    private RowData decode(InternalRow row) {
        byte[] key = bytes(row, PartTable.KEY);
        byte[] namespace = bytes(row, PartTable.NAMESPACE);
        return switch (kind) {
            case MAP ->
                    decoder.mapEntry(
                            key,
                            namespace,
                            bytes(row, PartTable.USER_KEY),
                            bytes(row, PartTable.VALUE));
            case TIMER ->
                    decoder.timer(
                            key,
                            row.isNullAt(PartTable.TIMESTAMP)
                                    ? null
                                    : row.getLong(PartTable.TIMESTAMP));
            default -> decoder.value(key, namespace, bytes(row, PartTable.VALUE));
        };
    }

    /** A copy of a field; the reader uses its buffers again. */
    static byte[] bytes(InternalRow row, int column) {
        return row.isNullAt(column) ? new byte[0] : row.getBinary(column).clone();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
