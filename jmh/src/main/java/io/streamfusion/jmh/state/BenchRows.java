package io.streamfusion.jmh.state;

import java.util.SplittableRandom;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;

/** Keys and values of the benchmarks: {@code long} keys and rows of two BIGINT columns. */
final class BenchRows {
    /** Bytes of a row in memory: 8 of header and null bits, 8 for each column. */
    static final int ROW_BYTES = 24;

    /**
     * Bytes of one entry as a serializing backend stores it: key (8), void namespace (1), row
     * length (4) and row (24). The measure of "dirty bytes".
     */
    static final int ENTRY_BYTES = Long.BYTES + 1 + Integer.BYTES + ROW_BYTES;

    private BenchRows() {}

    static RowDataSerializer serializer() {
        return new RowDataSerializer(new BigIntType(), new BigIntType());
    }

    /**
     * A fresh row. Every update writes a fresh one, since the heap backend keeps the object that it
     * is given and jobs must not change that afterwards.
     */
    static RowData row(long first, long second) {
        BinaryRowData row = new BinaryRowData(2);
        row.pointTo(MemorySegmentFactory.wrap(new byte[ROW_BYTES]), 0, ROW_BYTES);
        row.setLong(0, first);
        row.setLong(1, second);
        return row;
    }

    /**
     * The key with the given index: a bijection of {@code long} (the SplitMix64 finalizer), so that
     * keys neighbouring by index are neighbours neither in a sorted store nor in a hash table.
     */
    static long key(long index) {
        long z = index + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Some of the keys {@code 0 .. keys-1} whose key groups are in a range. */
    static long[] randomKeys(KeyGroupRange range, int count, int keys, SplittableRandom random) {
        long[] found = new long[count];
        int filled = 0;
        while (filled < count) {
            long key = key(random.nextInt(keys));
            int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(key, BenchBackend.KEY_GROUPS);
            if (range.contains(keyGroup)) {
                found[filled++] = key;
            }
        }
        return found;
    }
}
