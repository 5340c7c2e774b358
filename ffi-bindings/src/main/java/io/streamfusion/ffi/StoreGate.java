package io.streamfusion.ffi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets guests, threads that do not own a store, into it between two calls of the owner.
 *
 * <p>As long as no guest has come, the owner pays a plain read per call and no lock. The first
 * guest asks for the lock to be used and waits until the owner's next call says that it does from
 * now on; or the owner says so beforehand.
 */
final class StoreGate {
    private static final VarHandle SHARED;

    static {
        try {
            SHARED = MethodHandles.lookup().findVarHandle(StoreGate.class, "shared", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch ownerLocks = new CountDownLatch(1);

    /** Whether the owner has to lock; read without any order, see {@link #enterAsGuest(long)}. */
    @SuppressWarnings("UnusedVariable") // through the handle
    private boolean shared;

    /** The owner begins a call; the result is for {@link #leave(boolean)}. */
    boolean enter() {
        return (boolean) SHARED.getOpaque(this) && enterLocked();
    }

    private boolean enterLocked() {
        lock.lock();
        ownerLocks.countDown();
        return true;
    }

    /** The owner or a guest ends a call. */
    void leave(boolean locked) {
        if (locked) {
            lock.unlock();
        }
    }

    /** The owner will lock from its next call on, so that no guest has to wait for that call. */
    void share() {
        SHARED.setVolatile(this, true);
        ownerLocks.countDown();
    }

    /**
     * A guest begins a call, which it ends by {@code leave(true)}.
     *
     * @return false when the owner made no call within the time, so that it is not known whether it
     *     is in one that began before the guest came
     */
    boolean enterAsGuest(long timeoutMillis) throws InterruptedException {
        SHARED.setVolatile(this, true);
        if (ownerLocks.getCount() > 0 && !ownerLocks.await(timeoutMillis, TimeUnit.MILLISECONDS)) {
            return false;
        }
        lock.lock();
        return true;
    }
}
