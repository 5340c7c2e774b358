package io.streamfusion.ffi;

/**
 * Counters of one store at one moment.
 *
 * @param liveRows rows of all states
 * @param liveBytes bytes of keys, values and headers of the live rows
 * @param allocatedBytes bytes this store has charged to its budget
 * @param timers elements of all timer queues
 * @param epoch number of snapshots begun so far
 * @param garbageBytes bytes of removed or replaced rows not yet compacted
 * @param tombstoneBytes bytes of removed rows that the next incremental snapshot has to mention
 * @param compactedBytes bytes moved by compaction since the store was created
 */
public record NativeStoreStats(
        long liveRows,
        long liveBytes,
        long allocatedBytes,
        long timers,
        long epoch,
        long garbageBytes,
        long tombstoneBytes,
        long compactedBytes) {

    /** All zero: a store that holds nothing, or no longer exists. */
    public static final NativeStoreStats EMPTY = new NativeStoreStats(0, 0, 0, 0, 0, 0, 0, 0);
}
