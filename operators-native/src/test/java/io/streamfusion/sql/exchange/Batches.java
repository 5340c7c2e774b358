package io.streamfusion.sql.exchange;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.sql.edge.BatchRows;
import io.streamfusion.sql.edge.RowBatcher;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;

/** Rows to batches and back, for tests. */
final class Batches implements AutoCloseable {
    private final RowBatcher batcher;
    private final BatchRows rows;
    private final RowDataSerializer serializer;

    Batches(NativeBudget budget, RowType type) {
        batcher = new RowBatcher(budget, type, "test");
        rows = new BatchRows(type, "test", false);
        serializer = new RowDataSerializer(type);
    }

    /** A batch of rows, the caller's. */
    NativeBatch of(List<? extends RowData> all) {
        all.forEach(batcher::add);
        return batcher.take();
    }

    /** The rows of a batch, which stays the caller's. */
    List<BinaryRowData> rowsOf(NativeBatch batch) {
        List<BinaryRowData> all = new ArrayList<>();
        rows.emit(batch, row -> all.add(((BinaryRowData) row).copy()));
        return all;
    }

    /** Rows as Flink's serializer writes them. */
    List<BinaryRowData> binary(List<? extends RowData> all) {
        return all.stream().map(row -> serializer.toBinaryRow(row).copy()).toList();
    }

    @Override
    public void close() {
        batcher.close();
        rows.close();
    }
}
