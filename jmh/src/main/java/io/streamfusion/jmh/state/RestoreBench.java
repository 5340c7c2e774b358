package io.streamfusion.jmh.state;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.table.data.RowData;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** Restore of a large {@code ValueState} from files, up to a read of the first or of many keys. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class RestoreBench extends BackendState {
    private static final int DELTAS = 3;

    /** What is restored, and by whom. */
    public enum Form {
        /** The backend's own checkpoint with three deltas on top, by a task of the same range. */
        CHECKPOINT,
        /** The same checkpoint, by a task that owns the lower half of the key groups. */
        RESCALED,
        /** A savepoint in the canonical format, by a task of the same range. */
        CANONICAL
    }

    /** Keys with a value. */
    @Param({"10000000"})
    public int entries;

    /** Distinct keys updated in each delta. */
    @Param({"100000"})
    public int dirty;

    /** Form of the snapshot. */
    @Param({"CHECKPOINT"})
    public Form form;

    private BenchCheckpoints checkpoints;
    private KeyedStateHandle handle;
    private KeyGroupRange range;
    private long[] keysOfRange;

    /** Writes the snapshot and frees the backend that wrote it. */
    @Setup(Level.Trial)
    public void write() throws Exception {
        int last = BenchBackend.KEY_GROUPS - 1;
        range = KeyGroupRange.of(0, form == Form.RESCALED ? last / 2 : last);
        keysOfRange = someKeysOfRange();
        checkpoints = new BenchCheckpoints();
        CheckpointBench.BenchChain chain = new CheckpointBench.BenchChain();
        open();
        chain.fill(this, entries);
        handle = checkpoints.checkpoint(fixture);
        for (int i = 0; i < DELTAS; i++) {
            chain.update(this, dirty);
            handle = checkpoints.checkpoint(fixture);
        }
        if (form == Form.CANONICAL) {
            handle = checkpoints.canonicalSavepoint(fixture);
        }
        close();
    }

    /** Removes the snapshot. */
    @TearDown(Level.Trial)
    public void remove() throws Exception {
        checkpoints.close();
    }

    /** Frees what the iteration restored. */
    @TearDown(Level.Iteration)
    public void free() throws Exception {
        close();
    }

    /** Restore, register the state, read one key. */
    @Benchmark
    public RowData restore() throws Exception {
        return read(1);
    }

    /** Restore, register the state, read as many random keys as a delta has changed. */
    @Benchmark
    public RowData restoreRead() throws Exception {
        return read(keysOfRange.length);
    }

    private RowData read(int count) throws Exception {
        fixture = BenchBackend.restore(backend, range, List.of(handle));
        ValueState<RowData> state = fixture.state(ValueStateBench.descriptor());
        RowData row = null;
        for (int i = 0; i < count; i++) {
            fixture.keyed().setCurrentKey(keysOfRange[i]);
            row = state.value();
            if (row == null) {
                throw new IllegalStateException("The restored state lacks " + keysOfRange[i]);
            }
        }
        return row;
    }

    private long[] someKeysOfRange() {
        long[] keys = new long[dirty];
        int found = 0;
        while (found < keys.length) {
            long key = BenchRows.key(random.nextInt(entries));
            int keyGroup = KeyGroupRangeAssignment.assignToKeyGroup(key, BenchBackend.KEY_GROUPS);
            if (range.contains(keyGroup)) {
                keys[found++] = key;
            }
        }
        return keys;
    }
}
