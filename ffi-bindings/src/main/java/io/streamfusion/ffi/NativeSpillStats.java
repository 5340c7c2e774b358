package io.streamfusion.ffi;

/**
 * What a store has in spill files, in bytes.
 *
 * @param spilled in files now
 * @param live of living rows in files
 * @param written to files so far
 * @param read from files so far
 */
public record NativeSpillStats(long spilled, long live, long written, long read) {
    /** Of a store that has no files. */
    public static final NativeSpillStats EMPTY = new NativeSpillStats(0, 0, 0, 0);
}
