package io.streamfusion.ffi;

/** What a native snapshot contains and whether later snapshots may build on it. */
public enum NativeSnapshotMode {
    /** What changed since the last completed checkpoint; everything when there is none. */
    INCREMENTAL(0),
    /** Everything, self-contained, never a base. */
    FULL(1),
    /** Rows in canonical order instead of a segment file. */
    CANONICAL(2),
    /** Everything, and a base for later incremental snapshots. */
    FULL_BASE(3);

    private final int code;

    NativeSnapshotMode(int code) {
        this.code = code;
    }

    /** The number of this mode in the C interface. */
    public int code() {
        return code;
    }
}
