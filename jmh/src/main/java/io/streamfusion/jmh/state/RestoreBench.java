package io.streamfusion.jmh.state;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.state.KeyGroupRange;
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

    /** Bytes of the third column of a row; 0: rows of two columns. */
    @Param({"0"})
    public int payload;

    /** Form of the snapshot. */
    @Param({"CHECKPOINT"})
    public Form form;

    private RowForm rows;
    private BenchCheckpoints checkpoints;
    private KeyedStateHandle handle;
    private KeyGroupRange range;
    private long[] keysOfRange;

    /** Writes the snapshot and frees the backend that wrote it. */
    @Setup(Level.Trial)
    public void write() throws Exception {
        int last = BenchBackend.KEY_GROUPS - 1;
        range = KeyGroupRange.of(0, form == Form.RESCALED ? last / 2 : last);
        keysOfRange = BenchRows.randomKeys(range, dirty, entries, random);
        rows = new RowForm(payload);
        checkpoints = new BenchCheckpoints();
        open();
        BenchChain chain = new BenchChain(rows, BenchBackend.ALL_KEY_GROUPS);
        handle = checkpoints(chain, fixture, checkpoints, entries, dirty);
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
        ValueState<RowData> state = fixture.state(rows.descriptor());
        RowData row = null;
        for (int i = 0; i < count; i++) {
            row = read(fixture, state, keysOfRange[i]);
        }
        return row;
    }

    /** Takes a checkpoint of all entries and deltas on top, and returns the last one. */
    static KeyedStateHandle checkpoints(
            BenchChain chain,
            BenchBackend backend,
            BenchCheckpoints checkpoints,
            int entries,
            int dirty)
            throws Exception {
        chain.fill(backend, entries);
        KeyedStateHandle last = checkpoints.checkpoint(backend);
        for (int i = 0; i < DELTAS; i++) {
            chain.update(backend, dirty);
            last = checkpoints.checkpoint(backend);
        }
        return last;
    }

    /** Reads a key that was restored. */
    static RowData read(BenchBackend backend, ValueState<RowData> state, long key)
            throws Exception {
        backend.keyed().setCurrentKey(key);
        RowData row = state.value();
        if (row == null) {
            throw new IllegalStateException("The restored state lacks " + key);
        }
        return row;
    }
}
