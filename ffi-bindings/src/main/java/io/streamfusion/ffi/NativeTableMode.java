package io.streamfusion.ffi;

/** What the snapshot of a store whose checkpoints are tables contains. */
public enum NativeTableMode {
    /** What changed since the last completed checkpoint; the rest stays in its files. */
    INCREMENTAL(5),
    /** Everything, in new files, never a base. */
    FULL(6),
    /** Everything, in new files, and a base for later incremental snapshots. */
    FULL_BASE(7);

    private final int code;

    NativeTableMode(int code) {
        this.code = code;
    }

    /** The number of this mode in the C interface. */
    public int code() {
        return code;
    }
}
