package io.streamfusion.ffi;

/** Compression of the data files of a table. */
public enum NativeTableCompression {
    /** Pages as they are. */
    NONE(0, "none"),
    /** Zstandard, level 1. */
    ZSTD(2, "zstd"),
    /** Faster and larger. */
    SNAPPY(3, "snappy");

    private final int code;
    private final String codec;

    NativeTableCompression(int code, String codec) {
        this.code = code;
        this.codec = codec;
    }

    /** The number of this compression in the C interface. */
    public int code() {
        return code;
    }

    /** The name of this compression in the options of a table. */
    public String codec() {
        return codec;
    }
}
