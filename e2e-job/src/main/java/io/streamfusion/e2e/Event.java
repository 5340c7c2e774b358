package io.streamfusion.e2e;

/**
 * One source record. All fields follow from {@link #partition} and {@link #sequence}, so that a
 * test can list what the job must have read without having watched it.
 *
 * <p>A Flink POJO: public fields and a public constructor without arguments.
 */
public class Event {
    /** Event-time milliseconds between two records of one partition. */
    public static final long STEP_MILLIS = 4;

    static final int HOT_KEYS = 60;
    static final int COLD_KEYS = 3_000;
    static final int HOT_PERCENT = 80;

    /** Source partition, from 0. */
    public int partition;

    /** Position in the partition, from 0. */
    public long sequence;

    /** Key of the keyed state. */
    public String key;

    /** A pseudo-random number: what the states add up. */
    public long value;

    /** Event time in milliseconds: strictly ascending within a partition. */
    public long timestamp;

    /** For Flink's serializer. */
    public Event() {}

    /**
     * Returns record {@code sequence} of {@code partition}. Four of five records go to a few hot
     * keys; the rest are spread over keys seldom seen, whose state with a time to live expires in
     * between.
     */
    public static Event of(int partition, long sequence) {
        Event event = new Event();
        event.partition = partition;
        event.sequence = sequence;
        event.value = mix(((long) partition << 48) ^ sequence);
        long choice = Math.floorMod(event.value, 100L);
        long pick = event.value >>> 8;
        event.key =
                choice < HOT_PERCENT
                        ? "hot-" + Math.floorMod(pick, (long) HOT_KEYS)
                        : "cold-" + Math.floorMod(pick, (long) COLD_KEYS);
        event.timestamp = sequence * STEP_MILLIS;
        return event;
    }

    /** A bijection of 64 bits that leaves no pattern of its input (the finalizer of SplitMix64). */
    public static long mix(long input) {
        long z = input + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
