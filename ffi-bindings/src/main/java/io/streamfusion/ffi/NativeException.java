package io.streamfusion.ffi;

import java.util.Objects;

/**
 * A call into the native library failed. The message is the library's own; {@link #kind()} says who
 * can do something about it.
 */
public final class NativeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Who or what a failure is due to. */
    public enum Kind {
        /** The arguments make no sense. */
        USER,
        /** Something outside the process failed, such as a file. */
        EXTERNAL,
        /** A defect: a panic, or a call on a store that a panic has poisoned. */
        INTERNAL,
        /** The memory budget is used up. */
        MEMORY,
        /** The object was closed before the call. */
        CLOSED,
        /** Stored bytes are damaged or of an unknown version. */
        CORRUPT,
        /** A plan asks for what has no native form; the message is the reason, for users. */
        UNSUPPORTED
    }

    private final Kind kind;

    /** Creates an exception with the text that a user reads. */
    public NativeException(Kind kind, String message) {
        super(message);
        this.kind = Objects.requireNonNull(kind, "kind");
    }

    /** Who or what the failure is due to. */
    public Kind kind() {
        return kind;
    }
}
