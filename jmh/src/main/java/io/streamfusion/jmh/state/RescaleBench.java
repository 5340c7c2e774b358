package io.streamfusion.jmh.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
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
 * The checkpoints of two subtasks restored by three: each of the three in turn, up to a read of one
 * key. The middle one reads from both.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class RescaleBench {
    private static final int BEFORE = 2;
    private static final int AFTER = 3;

    /** The two checkpoints. See {@code CheckpointBench.Chain} for the scope. */
    @State(Scope.Benchmark)
    public static class Checkpointed extends BackendState {
        /** Keys with a value, of both subtasks. */
        @Param({"10000000"})
        public int entries;

        /** Distinct keys updated in each delta, of both subtasks. */
        @Param({"100000"})
        public int dirty;

        /** Bytes of the third column of a row; 0: rows of two columns. */
        @Param({"0"})
        public int payload;

        private final List<BenchCheckpoints> checkpoints = new ArrayList<>();
        private final List<KeyedStateHandle> handles = new ArrayList<>();
        private final List<BenchBackend> restored = new ArrayList<>();
        private RowForm rows;

        /** Writes the checkpoints, subtask by subtask, and frees the backends that wrote them. */
        @Setup(Level.Trial)
        public void write() throws Exception {
            rows = new RowForm(payload);
            for (int subtask = 0; subtask < BEFORE; subtask++) {
                KeyGroupRange range = range(BEFORE, subtask);
                BenchCheckpoints ofSubtask = new BenchCheckpoints();
                checkpoints.add(ofSubtask);
                fixture = BenchBackend.restore(backend, range, List.of());
                BenchChain chain = new BenchChain(rows, range);
                handles.add(RestoreBench.checkpoints(chain, fixture, ofSubtask, entries, dirty));
                close();
            }
        }

        /** Removes the checkpoints. */
        @TearDown(Level.Trial)
        public void remove() throws IOException {
            BenchBackend.closeAll(checkpoints.toArray(AutoCloseable[]::new));
        }

        private RowData restore(int subtask) throws Exception {
            KeyGroupRange range = range(AFTER, subtask);
            List<KeyedStateHandle> assigned =
                    handles.stream()
                            .map(handle -> handle.getIntersection(range))
                            .filter(Objects::nonNull)
                            .toList();
            BenchBackend one = BenchBackend.restore(backend, range, assigned);
            restored.add(one);
            ValueState<RowData> state = one.state(rows.descriptor());
            return RestoreBench.read(
                    one, state, BenchRows.randomKeys(range, 1, entries, random)[0]);
        }
    }

    /** The parts. Its public fields are reported beside the time of all. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Subtasks {
        /** Time of the slowest of the new subtasks, which the job waits for. */
        public double slowestMillis;

        private long slowestNanos;

        /** Nothing is restored yet. */
        @Setup(Level.Iteration)
        public void before() {
            slowestNanos = 0;
        }

        /** Reports, and frees what was restored. */
        @TearDown(Level.Iteration)
        public void after(Checkpointed checkpointed) throws IOException {
            slowestMillis = slowestNanos / 1e6;
            BenchBackend.closeAll(checkpointed.restored.toArray(AutoCloseable[]::new));
            checkpointed.restored.clear();
        }
    }

    /** All new subtasks, one after another. */
    @Benchmark
    public RowData restore(Checkpointed checkpointed, Subtasks subtasks) throws Exception {
        RowData row = null;
        for (int subtask = 0; subtask < AFTER; subtask++) {
            long begin = System.nanoTime();
            row = checkpointed.restore(subtask);
            subtasks.slowestNanos = Math.max(subtasks.slowestNanos, System.nanoTime() - begin);
        }
        return row;
    }

    private static KeyGroupRange range(int parallelism, int subtask) {
        return KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                BenchBackend.KEY_GROUPS, parallelism, subtask);
    }
}
