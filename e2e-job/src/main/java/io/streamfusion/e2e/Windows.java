package io.streamfusion.e2e;

import java.util.Arrays;

/** The arithmetic of windows, for the job and for the test that computes what the job must say. */
public final class Windows {
    /** Length of a window in event-time milliseconds. */
    public static final long SIZE_MILLIS = 1_000;

    /** Number of windows in a rolling sum, the closed one included. */
    public static final int REMEMBERED = 20;

    private static final int SEQUENCE_BITS = 48;

    private Windows() {}

    /** Start of the window that holds {@code timestamp} (not negative). */
    public static long startOf(long timestamp) {
        return timestamp - timestamp % SIZE_MILLIS;
    }

    /** A number that identifies a record of the whole input. */
    public static long id(int partition, long sequence) {
        return ((long) partition << SEQUENCE_BITS) | sequence;
    }

    /** Event time of the record with this identifier. */
    public static long timestampOf(long id) {
        return (id & ((1L << SEQUENCE_BITS) - 1)) * Event.STEP_MILLIS;
    }

    /** Digest of a set of records; the order in {@code ids} does not matter. */
    public static long digest(long[] ids) {
        long[] sorted = ids.clone();
        Arrays.sort(sorted);
        long digest = sorted.length;
        for (long id : sorted) {
            digest = Event.mix(digest ^ id);
        }
        return digest;
    }
}
