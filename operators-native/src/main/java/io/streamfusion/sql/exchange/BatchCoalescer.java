package io.streamfusion.sql.exchange;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.ffi.NativeBatches;
import io.streamfusion.ffi.NativeBudget;
import java.util.ArrayList;
import java.util.List;

/**
 * Joins batches that an exchange has made small, in the order of their arrival. For the task thread
 * only.
 */
public final class BatchCoalescer implements AutoCloseable {
    private final NativeBudget budget;
    private final int fullRows;
    private final long fullBytes;
    private final List<NativeBatch> held = new ArrayList<>();

    private int rows;
    private long bytes;

    /**
     * Creates one that holds nothing.
     *
     * @param fullRows rows that are enough
     * @param fullBytes bytes that are enough
     */
    public BatchCoalescer(NativeBudget budget, int fullRows, long fullBytes) {
        this.budget = budget;
        this.fullRows = fullRows;
        this.fullBytes = fullBytes;
    }

    /** Takes a batch over. */
    public void add(NativeBatch batch) {
        held.add(batch);
        rows += batch.rows();
        bytes += batch.bytes();
    }

    /** Rows that are held. */
    public int rows() {
        return rows;
    }

    /** Whether it is time to {@link #take()} what is held. */
    public boolean isFull() {
        return rows >= fullRows || bytes >= fullBytes;
    }

    /** All rows that are held, of which there are some, as one batch that is the caller's. */
    public NativeBatch take() {
        if (held.size() == 1) {
            NativeBatch only = held.getFirst();
            forget();
            return only;
        }
        NativeBatch joined = NativeBatches.concat(budget, held);
        close();
        return joined;
    }

    /** Frees what is held. */
    @Override
    public void close() {
        held.forEach(NativeBatch::close);
        forget();
    }

    private void forget() {
        held.clear();
        rows = 0;
        bytes = 0;
    }
}
