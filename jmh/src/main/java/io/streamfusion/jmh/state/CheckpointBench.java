package io.streamfusion.jmh.state;

import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A checkpoint of a large {@code ValueState} of which a small part has changed since the last one;
 * the two parts are timed apart and together. Incremental where the backend can.
 *
 * <p>Each iteration is one checkpoint of a growing chain. Between iterations other keys are
 * updated; each finished checkpoint is confirmed and the one before is dropped.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class CheckpointBench {
    /**
     * A backend with a confirmed checkpoint of all its entries. Of benchmark scope, though one
     * thread uses it: JMH shares only such a state between the states that depend on it.
     */
    @State(Scope.Benchmark)
    public static class Chain extends BackendState {
        /** Keys with a value. */
        @Param({"10000000"})
        public int entries;

        /** Distinct keys updated between two checkpoints. */
        @Param({"100000"})
        public int dirty;

        private final BenchChain chain =
                new BenchChain(new RowForm(0), BenchBackend.ALL_KEY_GROUPS);
        private BenchCheckpoints checkpoints;
        private RunnableFuture<SnapshotResult<KeyedStateHandle>> started;
        private KeyedStateHandle finished;

        /** Opens the backend, fills it and takes the first checkpoint. */
        @Setup(Level.Trial)
        public void fill() throws Exception {
            open();
            checkpoints = new BenchCheckpoints();
            chain.fill(fixture, entries);
            checkpoints.checkpoint(fixture);
        }

        /** Frees the backend and removes the checkpoints. */
        @TearDown(Level.Trial)
        public void free() throws Exception {
            close();
            checkpoints.close();
        }

        private void update() throws Exception {
            chain.update(fixture, dirty);
        }

        private void start() throws Exception {
            started = checkpoints.start(fixture);
        }

        private void finish() throws Exception {
            finished = checkpoints.finish(started);
        }

        private void confirm() throws Exception {
            checkpoints.confirm(fixture, finished);
        }

        private double perDirtyByte(long bytes) {
            return bytes / ((double) dirty * BenchRows.ENTRY_BYTES);
        }
    }

    /** Before each iteration: changes. After it: the rest of the checkpoint. */
    @State(Scope.Thread)
    public static class AroundSync {
        /** Changes the keys. */
        @Setup(Level.Iteration)
        public void before(Chain chain) throws Exception {
            chain.update();
        }

        /** Ends the checkpoint. */
        @TearDown(Level.Iteration)
        public void after(Chain chain) throws Exception {
            chain.finish();
            chain.confirm();
        }
    }

    /**
     * Before each iteration: changes and the synchronous part. After it: confirmation. Its public
     * fields are reported beside the time.
     */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class AroundAsync {
        /** Bytes of new files in checkpoint storage. */
        public long bytes;

        /** Those bytes over the bytes of the changed entries (key, namespace and row). */
        public double bytesPerDirtyByte;

        private long storedBefore;

        /** Changes the keys and starts the checkpoint. */
        @Setup(Level.Iteration)
        public void before(Chain chain) throws Exception {
            chain.update();
            storedBefore = chain.checkpoints.stored().bytes();
            chain.start();
        }

        /** Counts what was written and confirms. */
        @TearDown(Level.Iteration)
        public void after(Chain chain) throws Exception {
            bytes = chain.checkpoints.stored().bytes() - storedBefore;
            bytesPerDirtyByte = chain.perDirtyByte(bytes);
            chain.confirm();
        }
    }

    /**
     * Before each iteration: changes. After it: confirmation, and a look at what is stored then.
     * Its public fields are reported beside the time.
     */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class AroundTotal {
        /** Time of the synchronous part. */
        public double syncMillis;

        /** Bytes of new files in checkpoint storage. */
        public long bytes;

        /** Those bytes over the bytes of the changed entries (key, namespace and row). */
        public double bytesPerDirtyByte;

        /** Files of the confirmed checkpoint, all that is left. */
        public long liveFiles;

        /** Those of them that hold rows of a table. */
        public long liveDataFiles;

        /** Bytes of its files with deletion vectors. */
        public long deletionVectorBytes;

        /** Bytes of all its files. */
        public long liveBytes;

        private long syncNanos;
        private long storedBefore;

        /** Changes the keys. */
        @Setup(Level.Iteration)
        public void before(Chain chain) throws Exception {
            chain.update();
            storedBefore = chain.checkpoints.stored().bytes();
        }

        /** Counts what was written, confirms, and counts what is left. */
        @TearDown(Level.Iteration)
        public void after(Chain chain) throws Exception {
            syncMillis = syncNanos / 1e6;
            bytes = chain.checkpoints.stored().bytes() - storedBefore;
            bytesPerDirtyByte = chain.perDirtyByte(bytes);
            chain.confirm();
            BenchCheckpoints.Stored left = chain.checkpoints.stored();
            liveFiles = left.files();
            liveDataFiles = left.dataFiles();
            deletionVectorBytes = left.deletionVectorBytes();
            liveBytes = left.bytes();
        }
    }

    /** The synchronous part: the task does nothing else meanwhile. */
    @Benchmark
    public void sync(Chain chain, AroundSync surroundings) throws Exception {
        chain.start();
    }

    /** The asynchronous part: serialization and writing. */
    @Benchmark
    public void async(Chain chain, AroundAsync surroundings) throws Exception {
        chain.finish();
    }

    /** Both parts: until the checkpoint is durable. */
    @Benchmark
    public void total(Chain chain, AroundTotal surroundings) throws Exception {
        long begin = System.nanoTime();
        chain.start();
        surroundings.syncNanos = System.nanoTime() - begin;
        chain.finish();
    }
}
