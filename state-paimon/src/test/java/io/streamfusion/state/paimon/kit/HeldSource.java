package io.streamfusion.state.paimon.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;

/**
 * Emits elements in parts, each when the test asks for it, and then stays until it is cancelled.
 * One for each job of the process at a time.
 */
@SuppressWarnings("deprecation") // the source that a test can pace
public final class HeldSource<T> implements SourceFunction<T> {
    private static final long serialVersionUID = 1L;
    private static final Map<String, Control> CONTROLS = new ConcurrentHashMap<>();
    private static final int SECONDS = 60;

    private final String job;
    private final ArrayList<ArrayList<T>> parts = new ArrayList<>();
    private volatile boolean running = true;

    private record Control(Semaphore wanted, Semaphore emitted) {}

    /**
     * @param job tells sources apart
     */
    public HeldSource(String job, List<List<T>> parts) {
        this.job = job;
        parts.forEach(part -> this.parts.add(new ArrayList<>(part)));
        CONTROLS.put(job, new Control(new Semaphore(0), new Semaphore(0)));
    }

    /** Lets the next part be emitted and waits for it. */
    public static void emitNext(String job) throws InterruptedException {
        Control control = CONTROLS.get(job);
        control.wanted().release();
        if (!control.emitted().tryAcquire(SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("The source of " + job + " has not emitted.");
        }
    }

    @Override
    public void run(SourceContext<T> out) throws Exception {
        Control control = CONTROLS.get(job);
        for (List<T> part : parts) {
            control.wanted().acquire();
            synchronized (out.getCheckpointLock()) {
                part.forEach(out::collect);
            }
            control.emitted().release();
        }
        CountDownLatch never = new CountDownLatch(1);
        while (running) {
            if (never.await(1, TimeUnit.SECONDS)) {
                return;
            }
        }
    }

    @Override
    public void cancel() {
        running = false;
    }
}
