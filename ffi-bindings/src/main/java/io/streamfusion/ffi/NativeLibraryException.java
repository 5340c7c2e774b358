package io.streamfusion.ffi;

/** The native library could not be found, trusted or loaded; the message says what to do. */
public final class NativeLibraryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception without a cause. */
    public NativeLibraryException(String message) {
        super(message);
    }

    /** Creates an exception with the failure that led to it. */
    public NativeLibraryException(String message, Throwable cause) {
        super(message, cause);
    }
}
