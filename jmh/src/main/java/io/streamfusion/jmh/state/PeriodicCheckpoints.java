package io.streamfusion.jmh.state;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * Checkpoints at an interval, on the threads of a task: the thread that works on the state runs the
 * synchronous part and hears of the completion, both between two operations; another one writes and
 * keeps the JobManager's books.
 *
 * <p>One checkpoint at a time. One that falls due while another is under way starts when that is
 * complete, as with Flink's defaults. All methods are for the thread that works on the state.
 */
final class PeriodicCheckpoints implements AutoCloseable {
    private final BenchBackend backend;
    private final BenchCheckpoints checkpoints = new BenchCheckpoints();
    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> trigger;
    private final AtomicReference<Written> written = new AtomicReference<>();
    private volatile boolean due;

    /** Something is to be done between two operations; set after that. */
    private volatile boolean mail;

    private boolean underWay;
    private long syncNanos;
    private Totals totals = new Totals(0, 0, 0);

    /**
     * What has been done so far.
     *
     * @param completed number of checkpoints
     * @param syncNanos time of their synchronous parts
     * @param asyncNanos time of their asynchronous parts
     */
    record Totals(long completed, long syncNanos, long asyncNanos) {
        Totals minus(Totals earlier) {
            return new Totals(
                    completed - earlier.completed,
                    syncNanos - earlier.syncNanos,
                    asyncNanos - earlier.asyncNanos);
        }
    }

    /** How an asynchronous part ended; without a failure all is well. */
    private record Written(long nanos, Throwable failure) {}

    PeriodicCheckpoints(BenchBackend backend, int intervalMillis) throws IOException {
        this.backend = backend;
        trigger =
                timer.scheduleAtFixedRate(
                        this::fallDue, intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    }

    /** Does what is to be done between two operations; as a rule, nothing. */
    void runMail() throws Exception {
        if (mail) {
            mail = false;
            endWritten();
            if (due && !underWay) {
                due = false;
                start();
            }
        }
    }

    Totals totals() {
        return totals;
    }

    /** Waits for the checkpoint that is under way and removes all of them. */
    @Override
    public void close() throws IOException {
        trigger.cancel(false);
        BenchBackend.closeAll(timer, writer, this::endWritten, checkpoints);
    }

    private void fallDue() {
        due = true;
        mail = true;
    }

    private void start() throws Exception {
        long begin = System.nanoTime();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> started = checkpoints.start(backend);
        syncNanos = System.nanoTime() - begin;
        underWay = true;
        writer.execute(() -> write(started));
    }

    private void write(RunnableFuture<SnapshotResult<KeyedStateHandle>> started) {
        long begin = System.nanoTime();
        Throwable failure = null;
        try {
            checkpoints.register(checkpoints.finish(started));
        } catch (Exception | Error e) {
            failure = e;
        }
        written.set(new Written(System.nanoTime() - begin, failure));
        mail = true;
    }

    private void endWritten() throws Exception {
        Written ended = written.getAndSet(null);
        if (ended == null) {
            return;
        }
        underWay = false;
        if (ended.failure != null) {
            throw new IllegalStateException("A checkpoint has failed", ended.failure);
        }
        checkpoints.notifyComplete(backend);
        totals =
                new Totals(
                        totals.completed + 1,
                        totals.syncNanos + syncNanos,
                        totals.asyncNanos + ended.nanos);
    }
}
