package io.streamfusion.state.paimon.rss;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * What has to be in a {@link SoakedState}. The bytes of a row follow from its place and its
 * version, so that versions are all there is to remember; version 0 is no row.
 */
final class SoakModel {
    /** Entries of a map have numbers below this. */
    static final int ENTRIES = 6;

    /** A list is replaced when it has so many elements. */
    static final int LONGEST_LIST = 5;

    /** Longest row of each kind of state; on average they have half of it. */
    private static final int VALUE_BYTES = 3200;

    private static final int ENTRY_BYTES = 1400;
    private static final int ELEMENT_BYTES = 800;

    final int[] values;
    final int[][] entries;
    final int[][] lists;

    /** The time of each key's timer, 0 without one; no two keys have the same. */
    final long[] timers;

    final TreeSet<Long> dueTimers;
    private int versions;

    SoakModel(int keys) {
        this(new int[keys], new int[keys][ENTRIES], new int[keys][0], new long[keys]);
    }

    private SoakModel(int[] values, int[][] entries, int[][] lists, long[] timers) {
        this.values = values;
        this.entries = entries;
        this.lists = lists;
        this.timers = timers;
        dueTimers = new TreeSet<>();
        Arrays.stream(timers).filter(time -> time != 0).forEach(dueTimers::add);
    }

    /** What is now, whatever happens to this later. */
    SoakModel copy() {
        return new SoakModel(
                values.clone(),
                Arrays.stream(entries).map(int[]::clone).toArray(int[][]::new),
                Arrays.stream(lists).map(int[]::clone).toArray(int[][]::new),
                timers.clone());
    }

    int keys() {
        return values.length;
    }

    /** A version that no row has had. */
    int newVersion() {
        return ++versions;
    }

    /** A time that no timer has had. */
    long newTime(int key, SplittableRandom random) {
        return (random.nextLong(1L << 12) << 32 | newVersion()) * keys() + key;
    }

    /** The key whose timer is due then. */
    int keyOf(long time) {
        return (int) (time % keys());
    }

    static byte[] value(int key, int version) {
        return bytes(key, version, VALUE_BYTES);
    }

    static byte[] entry(int key, int version) {
        return bytes(key, version, ENTRY_BYTES);
    }

    static byte[] element(int key, int version) {
        return bytes(key, version, ELEMENT_BYTES);
    }

    private static byte[] bytes(int key, int version, int longest) {
        SplittableRandom random = new SplittableRandom((long) version << 32 | key);
        byte[] bytes = new byte[random.nextInt(longest)];
        random.nextBytes(bytes);
        return bytes;
    }
}
