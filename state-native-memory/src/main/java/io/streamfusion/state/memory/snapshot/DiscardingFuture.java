package io.streamfusion.state.memory.snapshot;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A snapshot that cleans up when it is cancelled between its last byte and the moment at which the
 * future has the result: then nobody else ever sees the result.
 *
 * @param <T> type of the result
 */
final class DiscardingFuture<T> implements RunnableFuture<T> {
    private final RunnableFuture<T> snapshot;
    private final Runnable discard;

    /**
     * Wraps a snapshot.
     *
     * @param discard deletes the result, if there is one
     */
    DiscardingFuture(RunnableFuture<T> snapshot, Runnable discard) {
        this.snapshot = snapshot;
        this.discard = discard;
    }

    @Override
    public void run() {
        snapshot.run();
        if (snapshot.isCancelled()) {
            discard.run();
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return snapshot.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean isCancelled() {
        return snapshot.isCancelled();
    }

    @Override
    public boolean isDone() {
        return snapshot.isDone();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        return snapshot.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return snapshot.get(timeout, unit);
    }
}
