package io.streamfusion.cluster;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for conditions of other processes: by asking again and again, up to a deadline. */
public final class Await {
    /** What a busy machine may take for one step of a cluster. */
    public static final Duration LIMIT = Duration.ofMinutes(5);

    private static final long ASK_EVERY_NANOS = 50_000_000;

    private Await() {}

    /** A question that may fail for want of an answer. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    /**
     * Asks until there is an answer and returns it.
     *
     * @param what what is waited for, and what went wrong meanwhile; asked for when time is up
     * @param question called on this thread; empty means "not yet"
     * @throws ClusterException when {@link #LIMIT} has passed
     */
    public static <T> T answer(Supplier<String> what, Supplier<Optional<T>> question) {
        return answer(LIMIT, what, question);
    }

    /** As the other, with a limit of its own. */
    public static <T> T answer(
            Duration limit, Supplier<String> what, Supplier<Optional<T>> question) {
        long start = System.nanoTime();
        while (true) {
            Optional<T> answer = question.get();
            if (answer.isPresent()) {
                return answer.get();
            }
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new ClusterException(
                        "Waited %d s in vain: %s".formatted(limit.toSeconds(), what.get()));
            }
            LockSupport.parkNanos(ASK_EVERY_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("Interrupted while waiting: " + what.get());
            }
        }
    }

    /** As {@link #that(Supplier, Condition)}, with a fixed description. */
    public static void that(String what, Condition condition) {
        that(() -> what, condition);
    }

    /** As {@link #answer}, for a condition; an exception of it ends the wait. */
    public static void that(Supplier<String> what, Condition condition) {
        answer(
                what,
                () -> {
                    try {
                        return condition.holds() ? Optional.of(true) : Optional.empty();
                    } catch (Exception e) {
                        throw new ClusterException("While waiting: " + what.get(), e);
                    }
                });
    }
}
