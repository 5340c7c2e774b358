package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeSnapshot;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Owns a native snapshot between the task thread, which takes it, and the thread that writes it,
 * and frees it exactly once. Whoever cancels may free it only while nobody writes.
 */
final class SnapshotLease {
    private enum Phase {
        WAITING,
        WRITING,
        FREED
    }

    private final NativeSnapshot snapshot;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

    SnapshotLease(NativeSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    /**
     * The calling thread begins to write; it must call {@link #release()} at its end.
     *
     * @throws CancellationException when the snapshot was freed before
     */
    NativeSnapshot begin() {
        if (!phase.compareAndSet(Phase.WAITING, Phase.WRITING)) {
            throw new CancellationException("The snapshot was cancelled before it was written.");
        }
        return snapshot;
    }

    /** Frees the snapshot: called by the writer at its end, or by Flink when there is no writer. */
    void release() {
        if (phase.getAndSet(Phase.FREED) != Phase.FREED) {
            snapshot.close();
        }
    }

    /**
     * Frees the snapshot unless it is being written.
     *
     * @return whether this call freed it
     */
    boolean releaseIfWaiting() {
        if (phase.compareAndSet(Phase.WAITING, Phase.FREED)) {
            snapshot.close();
            return true;
        }
        return false;
    }
}
