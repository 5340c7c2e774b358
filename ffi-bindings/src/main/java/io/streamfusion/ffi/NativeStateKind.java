package io.streamfusion.ffi;

/** How the native store lays out the rows of one state. */
public enum NativeStateKind {
    /** One row per key and namespace: value, reducing and aggregating state. */
    VALUE(0),
    /** A chain of chunks per key and namespace, appended without reading. */
    LIST(1),
    /** One row per user key, indexed by key and namespace. */
    MAP(2),
    /** An ordered set of elements per key group. */
    TIMER(3);

    private final int code;

    NativeStateKind(int code) {
        this.code = code;
    }

    /** The number of this kind in the C interface. */
    public int code() {
        return code;
    }
}
