package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeLoader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;
import org.apache.flink.util.function.RunnableWithException;

/**
 * The threads of one restore. Closing it ends them and waits for them, whatever happens, because
 * they write into native memory that the caller may free next. Its loaders are closed then.
 */
public final class RestoreWorkers implements AutoCloseable {
    private final ExecutorService threads;
    private final ExecutorCompletionService<Void> work;
    private final CloseableRegistry streams;
    private final List<NativeLoader> loaders = new ArrayList<>();
    private int started;

    /**
     * @param count number of threads
     * @param streams what the threads read from; closed to end them early
     */
    public RestoreWorkers(int count, CloseableRegistry streams) {
        this.threads =
                Executors.newFixedThreadPool(
                        Math.max(1, count), new ExecutorThreadFactory("streamfusion-restore"));
        this.work = new ExecutorCompletionService<>(threads);
        this.streams = streams;
    }

    /** Closes the loader when all threads have ended. */
    public NativeLoader own(NativeLoader loader) {
        loaders.add(loader);
        return loader;
    }

    /** Starts a thread. */
    public void start(RunnableWithException body) {
        started++;
        work.submit(
                () -> {
                    body.run();
                    return null;
                });
    }

    /** Waits until all threads are done and throws the first failure. */
    public void await() throws Exception {
        for (int i = 0; i < started; i++) {
            try {
                work.take().get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Exception cause) {
                    throw cause;
                }
                throw e;
            }
        }
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        // Unblocks threads that still read after a failure.
        streams.close();
        boolean interrupted = false;
        while (!threads.isTerminated()) {
            try {
                threads.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        loaders.forEach(NativeLoader::close);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
