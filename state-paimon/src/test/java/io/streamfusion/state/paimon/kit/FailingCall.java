package io.streamfusion.state.paimon.kit;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** A call of {@link TestFileSystem} that can be made to fail once, at the n-th time from now. */
public enum FailingCall {
    CREATE,
    WRITE,
    /** Closing a file that was written; it is closed, but nobody may rely on what is in it. */
    CLOSE,
    /** Nothing was renamed. */
    RENAME,
    /** The file was renamed, only the answer is lost. */
    RENAME_ANSWER,
    OPEN,
    READ;

    public static final String MESSAGE = "The storage does not answer.";

    /** The number of the call that is to fail, counted from the next one on. */
    private static final Map<FailingCall, Integer> LEFT = new ConcurrentHashMap<>();

    /** Lets the n-th call from now fail, n from 1. */
    public void failAt(int n) {
        LEFT.put(this, n);
    }

    /** Takes back what {@link #failAt} ordered; false if it has failed already. */
    public boolean cancel() {
        return LEFT.remove(this) != null;
    }

    void count() throws IOException {
        AtomicBoolean fails = new AtomicBoolean();
        LEFT.computeIfPresent(
                this,
                (call, n) -> {
                    fails.set(n == 1);
                    return n == 1 ? null : n - 1;
                });
        if (fails.get()) {
            throw new IOException(MESSAGE);
        }
    }
}
