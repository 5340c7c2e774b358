package io.streamfusion.jmh.state;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.table.data.RowData;

/** The entries of a chain of checkpoints, and which of them change next. Used by one thread. */
final class BenchChain {
    private final RowForm rows;
    private final KeyGroupRange range;
    private ValueState<RowData> state;
    private int entries;
    private int next;
    private long version;

    /** Entries whose keys are in {@code range}; it is the range of the backend. */
    BenchChain(RowForm rows, KeyGroupRange range) {
        this.rows = rows;
        this.range = range;
    }

    /** Gives the keys with the indexes {@code 0 .. count-1} a value. */
    void fill(BenchBackend backend, int count) throws Exception {
        entries = count;
        state = backend.state(rows.descriptor());
        update(backend, count);
    }

    /**
     * Updates the keys with the next {@code count} indexes; neighbours by index lie anywhere. Those
     * that are not in the range are passed over.
     */
    void update(BenchBackend backend, int count) throws Exception {
        version++;
        for (int i = 0; i < count; i++) {
            long key = BenchRows.key(next);
            if (owns(key)) {
                backend.keyed().setCurrentKey(key);
                state.update(rows.row(version, next));
            }
            next = (next + 1) % entries;
        }
    }

    private boolean owns(long key) {
        return range.getNumberOfKeyGroups() == BenchBackend.KEY_GROUPS
                || range.contains(
                        KeyGroupRangeAssignment.assignToKeyGroup(key, BenchBackend.KEY_GROUPS));
    }
}
