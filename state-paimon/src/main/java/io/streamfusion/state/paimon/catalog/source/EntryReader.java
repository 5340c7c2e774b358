package io.streamfusion.state.paimon.catalog.source;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/** Reads the rows of a state's table, some at a time. */
interface EntryReader extends Closeable {
    /**
     * Reads some rows, or none.
     *
     * @return whether there may be more
     */
    boolean read(Consumer<RowData> rows) throws IOException;
}
