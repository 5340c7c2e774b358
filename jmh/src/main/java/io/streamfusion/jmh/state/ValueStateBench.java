package io.streamfusion.jmh.state;

import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.table.data.RowData;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** {@code ValueState}: read the row of a random present key, write the next one. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ValueStateBench extends BackendState {
    /** Keys with a value. */
    @Param({"1000000"})
    public int keys;

    private ValueState<RowData> state;

    /** Opens the backend and gives every key a value. */
    @Setup(Level.Trial)
    public void fill() throws Exception {
        open();
        state = fixture.state(descriptor());
        for (int i = 0; i < keys; i++) {
            selectKey(i);
            state.update(BenchRows.row(0, i));
        }
    }

    /** Frees the backend. */
    @TearDown(Level.Trial)
    public void free() throws Exception {
        close();
    }

    /** One operation: select the key, get, update. */
    @Benchmark
    public RowData getUpdate() throws Exception {
        selectRandomKey(keys);
        RowData old = state.value();
        RowData next = BenchRows.row(old.getLong(0) + 1, old.getLong(1));
        state.update(next);
        return next;
    }

    static ValueStateDescriptor<RowData> descriptor() {
        return new ValueStateDescriptor<>("value", BenchRows.serializer());
    }
}
