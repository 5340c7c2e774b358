package io.streamfusion.ffi;

/** Compression of the blocks of a segment file. */
public enum NativeCompression {
    /** Blocks as they are. */
    NONE(0),
    /** Fast, about half the bytes on typical rows. */
    LZ4(1),
    /** Slower and smaller. */
    ZSTD(2);

    private final int code;

    NativeCompression(int code) {
        this.code = code;
    }

    /** The number of this compression in the C interface. */
    public int code() {
        return code;
    }
}
