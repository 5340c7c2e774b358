package io.streamfusion.ffi;

import io.streamfusion.ffi.NativeException.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;

/**
 * The one owner of one native object: frees it exactly once and refuses to hand out the pointer
 * afterwards.
 *
 * <p>Any thread may close it, but not while another one is inside a call with the pointer.
 */
public final class NativeHandle implements AutoCloseable {
    private static final AtomicLong LIVE = new AtomicLong();
    private static final VarHandle POINTER;

    static {
        try {
            POINTER =
                    MethodHandles.lookup()
                            .findVarHandle(NativeHandle.class, "pointer", MemorySegment.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String what;
    private final ToIntFunction<MemorySegment> free;
    // Read plainly: it is on the way of every row, and only its owner's thread uses it.
    private MemorySegment pointer;

    /**
     * Takes over a pointer that the library has just returned.
     *
     * @param what names the object in messages
     * @param free frees it and returns a status
     * @throws NativeException the library's error, when the pointer is null
     */
    public NativeHandle(String what, MemorySegment pointer, ToIntFunction<MemorySegment> free) {
        if (pointer.address() == 0) {
            throw NativeStatus.lastError();
        }
        this.what = what;
        this.free = free;
        this.pointer = pointer;
        LIVE.incrementAndGet();
    }

    /**
     * The pointer.
     *
     * @throws NativeException of kind CLOSED after {@link #close()}
     */
    public MemorySegment pointer() {
        MemorySegment current = pointer;
        if (current == null) {
            throw new NativeException(Kind.CLOSED, "the native " + what + " is closed");
        }
        return current;
    }

    /** Whether {@link #close()} was called. */
    public boolean isClosed() {
        return pointer == null;
    }

    /**
     * The pointer, for a call that takes the native object over: this handle is closed then.
     *
     * @throws NativeException of kind CLOSED after {@link #close()}
     */
    MemorySegment take() {
        MemorySegment owned = (MemorySegment) POINTER.getAndSet(this, null);
        if (owned == null) {
            throw new NativeException(Kind.CLOSED, "the native " + what + " is closed");
        }
        LIVE.decrementAndGet();
        return owned;
    }

    /** Frees the native object; only the first call does anything. */
    @Override
    public void close() {
        MemorySegment owned = (MemorySegment) POINTER.getAndSet(this, null);
        if (owned != null) {
            LIVE.decrementAndGet();
            NativeStatus.check(free.applyAsInt(owned));
        }
    }

    /** Number of handles that this class loader's classes hold and have not closed. */
    public static long live() {
        return LIVE.get();
    }
}
