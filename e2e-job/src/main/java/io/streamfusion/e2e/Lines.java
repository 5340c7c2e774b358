package io.streamfusion.e2e;

/** The lines of the job's output: one letter for the kind, then fields separated by blanks. */
public final class Lines {
    /** First letter of the lines about the wall clock, whose number nobody can foretell. */
    public static final char TTL = 'T';

    private Lines() {}

    /** The record itself. */
    public static String record(Event event) {
        return "R " + event.partition + " " + event.sequence + " " + event.key;
    }

    /** The {@code count}-th record of its key. Which record that is depends on the interleaving. */
    public static String count(String key, long count) {
        return "V " + key + " " + count;
    }

    /**
     * A closed window of one key.
     *
     * @param start window start, event-time milliseconds
     * @param size number of records
     * @param sum sum of the records' values, modulo 2^64
     * @param digest digest of the records in ascending order
     * @param rolling sum over this window and the ones before it that the job remembers
     */
    public static String window(
            String key, long start, long size, long sum, long digest, long rolling) {
        return "W " + key + " " + start + " " + size + " " + sum + " " + digest + " " + rolling;
    }

    /** What all records of a key came to, at the end of the input. */
    public static String total(String key, long count, long xor, long smallest) {
        return "F " + key + " " + count + " " + xor + " " + smallest;
    }

    /** A state with time to live was read: still there, or expired. */
    public static String ttl(boolean present) {
        return TTL + (present ? " present" : " expired");
    }

    /** Something that must not be. */
    public static String wrong(String key, String what) {
        return "X " + key + " " + what;
    }
}
