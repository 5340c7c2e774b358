package io.streamfusion.ffi;

import io.streamfusion.ffi.NativeException.Kind;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The codes that native calls return, and their way into exceptions.
 *
 * <p>A result of 0 or more is a success. {@link #ABSENT}, {@link #NEEDS_RESERVE} and {@link
 * #TOO_SMALL} are answers, not errors. Everything below is an error whose text the library keeps
 * for the thread that made the call.
 */
public final class NativeStatus {
    /** Done. */
    public static final int OK = 0;

    /** There is no such row. */
    public static final int ABSENT = -1;

    /** Nothing was changed: the table must grow by an ordinary call first. */
    public static final int NEEDS_RESERVE = -2;

    /** Nothing was changed: the output holds the capacity that is needed, as a 64-bit integer. */
    public static final int TOO_SMALL = -3;

    /** As {@link Kind#USER}. */
    public static final int ERR_USER = -10;

    /** As {@link Kind#EXTERNAL}. */
    public static final int ERR_EXTERNAL = -11;

    /** As {@link Kind#INTERNAL}. */
    public static final int ERR_INTERNAL = -12;

    /** As {@link Kind#MEMORY}. */
    public static final int ERR_MEMORY = -13;

    /** As {@link Kind#CLOSED}. */
    public static final int ERR_CLOSED = -14;

    /** As {@link Kind#CORRUPT}. */
    public static final int ERR_CORRUPT = -15;

    /** As {@link Kind#UNSUPPORTED}. */
    public static final int ERR_UNSUPPORTED = -16;

    private static final int USUAL_MESSAGE_BYTES = 512;

    private NativeStatus() {}

    /**
     * Lets results and answers through.
     *
     * @return {@code status}, when it is {@link #TOO_SMALL} or above
     * @throws NativeException when it is an error
     */
    public static int check(int status) {
        if (status < TOO_SMALL) {
            throw failure(status, NativeAdvice.NONE);
        }
        return status;
    }

    /** The failure of this thread's last call that returned no status but a null pointer. */
    public static NativeException lastError() {
        return failure(StreamFusionAbi.sf_last_status(), NativeAdvice.NONE);
    }

    /**
     * The exception for an error of this thread's last call.
     *
     * @param advice what a user can do; ends the message
     */
    static NativeException failure(int status, NativeAdvice advice) {
        String message = lastMessage();
        Kind kind =
                switch (status) {
                    case ERR_USER -> Kind.USER;
                    case ERR_EXTERNAL -> Kind.EXTERNAL;
                    case ERR_MEMORY -> Kind.MEMORY;
                    case ERR_CLOSED -> Kind.CLOSED;
                    case ERR_CORRUPT -> Kind.CORRUPT;
                    case ERR_UNSUPPORTED -> Kind.UNSUPPORTED;
                    default -> Kind.INTERNAL;
                };
        if (message.isEmpty()) {
            message = "native call failed with status " + status;
        }
        if (!advice.about(kind).isEmpty()) {
            message = message + ". " + advice.about(kind);
        }
        return new NativeException(kind, message);
    }

    /** What a downcall handle cannot throw, but must be caught. */
    static AssertionError unreachable(Throwable thrown) {
        return new AssertionError("a native call threw", thrown);
    }

    private static String lastMessage() {
        int capacity = USUAL_MESSAGE_BYTES;
        while (true) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment out = arena.allocate(capacity);
                int length = StreamFusionAbi.sf_last_error(out, capacity);
                if (length <= capacity) {
                    byte[] utf8 =
                            out.asSlice(0, Math.max(0, length)).toArray(ValueLayout.JAVA_BYTE);
                    return new String(utf8, StandardCharsets.UTF_8);
                }
                capacity = length;
            }
        }
    }
}
