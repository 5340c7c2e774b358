package io.streamfusion.jmh.state;

import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.table.data.RowData;
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
 * the two parts are timed apart. Incremental where the backend can.
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

        private final BenchChain chain = new BenchChain();
        private BenchCheckpoints checkpoints;
        private RunnableFuture<SnapshotResult<KeyedStateHandle>> started;
        private KeyedStateHandle finished;

        /** Opens the backend, fills it and takes the first checkpoint. */
        @Setup(Level.Trial)
        public void fill() throws Exception {
            open();
            checkpoints = new BenchCheckpoints();
            chain.fill(this, entries);
            checkpoints.checkpoint(fixture);
        }

        /** Frees the backend and removes the checkpoints. */
        @TearDown(Level.Trial)
        public void free() throws Exception {
            close();
            checkpoints.close();
        }

        private void update() throws Exception {
            chain.update(this, dirty);
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
            storedBefore = chain.checkpoints.storedBytes();
            chain.start();
        }

        /** Counts what was written and confirms. */
        @TearDown(Level.Iteration)
        public void after(Chain chain) throws Exception {
            bytes = chain.checkpoints.storedBytes() - storedBefore;
            bytesPerDirtyByte = bytes / ((double) chain.dirty * BenchRows.ENTRY_BYTES);
            chain.confirm();
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

    /** The entries and which of them change next. */
    static final class BenchChain {
        private ValueState<RowData> state;
        private int entries;
        private int next;
        private long version;

        void fill(BackendState backend, int count) throws Exception {
            entries = count;
            state = backend.fixture.state(ValueStateBench.descriptor());
            update(backend, count);
        }

        /** Updates the next {@code count} distinct keys; neighbours by index lie anywhere. */
        void update(BackendState backend, int count) throws Exception {
            version++;
            for (int i = 0; i < count; i++) {
                backend.selectKey(next);
                state.update(BenchRows.row(version, next));
                next = (next + 1) % entries;
            }
        }
    }
}
