package io.streamfusion.jmh.state;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.apache.flink.api.common.state.ValueState;
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
 * {@code ValueState} while checkpoints are taken, as in a job: read the row of a present key, write
 * the next one. The state was filled under the same checkpoints.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CheckpointedValueBench {
    /**
     * A filled backend whose checkpoints go on. See {@code CheckpointBench.Chain} for the scope.
     */
    @State(Scope.Benchmark)
    public static class Task extends BackendState {
        /** Keys with a value. */
        @Param({"1000000"})
        public int keys;

        /** Bytes of the third column of a row; 0: rows of two columns. */
        @Param({"0"})
        public int payload;

        /** Which keys are read and written. */
        @Param({"UNIFORM"})
        public KeyChoice choice;

        /** Between the beginnings of two checkpoints. */
        @Param({"1000"})
        public int intervalMillis;

        private RowForm rows;
        private IntSupplier indexes;
        private ValueState<RowData> state;
        private PeriodicCheckpoints checkpoints;

        /** Opens the backend, lets checkpoints begin and gives every key a value. */
        @Setup(Level.Trial)
        public void fill() throws Exception {
            rows = new RowForm(payload);
            indexes = choice.indexes(keys, random);
            open();
            state = fixture.state(rows.descriptor());
            checkpoints = new PeriodicCheckpoints(fixture, intervalMillis);
            for (int i = 0; i < keys; i++) {
                checkpoints.runMail();
                selectKey(i);
                state.update(rows.row(0, i));
            }
        }

        /** Ends the checkpoints and frees the backend. */
        @TearDown(Level.Trial)
        public void free() throws Exception {
            BenchBackend.closeAll(checkpoints, fixture);
        }
    }

    /** Counts the checkpoints of an iteration. Its public fields are reported beside the time. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Taken {
        /** Checkpoints completed in the iteration. */
        public long checkpoints;

        /** Mean time of their synchronous parts; not a number when there was none. */
        public double syncMillis;

        /** Mean time of their asynchronous parts; not a number when there was none. */
        public double asyncMillis;

        private PeriodicCheckpoints.Totals before;

        /** Remembers what was complete. */
        @Setup(Level.Iteration)
        public void before(Task task) {
            before = task.checkpoints.totals();
        }

        /** Counts. */
        @TearDown(Level.Iteration)
        public void after(Task task) {
            PeriodicCheckpoints.Totals since = task.checkpoints.totals().minus(before);
            checkpoints = since.completed();
            syncMillis = since.syncNanos() / 1e6 / since.completed();
            asyncMillis = since.asyncNanos() / 1e6 / since.completed();
        }
    }

    /** One operation: a look for mail, select the key, get, update. */
    @Benchmark
    public RowData getUpdate(Task task, Taken taken) throws Exception {
        task.checkpoints.runMail();
        task.selectKey(task.indexes.getAsInt());
        RowData old = task.state.value();
        RowData next = task.rows.row(old.getLong(0) + 1, old.getLong(1));
        task.state.update(next);
        return next;
    }
}
