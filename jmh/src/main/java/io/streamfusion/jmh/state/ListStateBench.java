package io.streamfusion.jmh.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.table.data.RowData;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/** {@code ListState} with rows as elements: add to a random key, read a list of 20. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ListStateBench {
    private static final int LIST_SIZE = 20;

    /** Lists of changing length below {@value #LIST_SIZE}. */
    public static class Growing extends BackendState {
        /** Keys with a list. */
        @Param({"1000000"})
        public int keys;

        private ListState<RowData> state;
        private byte[] lengths;

        /** Opens the backend and gives every list a random length. */
        @Setup(Level.Trial)
        public void fill() throws Exception {
            open();
            state = fixture.state(descriptor());
            lengths = new byte[keys];
            for (int i = 0; i < keys; i++) {
                lengths[i] = (byte) random.nextInt(LIST_SIZE);
                selectKey(i);
                state.update(rows(i, lengths[i]));
            }
        }

        /** Frees the backend. */
        @TearDown(Level.Trial)
        public void free() throws Exception {
            close();
        }
    }

    /** Lists of {@value #LIST_SIZE} elements. */
    public static class Full extends BackendState {
        /** Keys with a list. */
        @Param({"1000000"})
        public int keys;

        private ListState<RowData> state;

        /** Opens the backend and fills every list. */
        @Setup(Level.Trial)
        public void fill() throws Exception {
            open();
            state = fixture.state(descriptor());
            for (int i = 0; i < keys; i++) {
                selectKey(i);
                state.update(rows(i, LIST_SIZE));
            }
        }

        /** Frees the backend. */
        @TearDown(Level.Trial)
        public void free() throws Exception {
            close();
        }
    }

    /**
     * One operation: select the key, add. A list that has reached {@value #LIST_SIZE} elements is
     * cleared first (one operation in {@value #LIST_SIZE}), which keeps the size of the state
     * steady.
     */
    @Benchmark
    public void add(Growing lists) throws Exception {
        int key = lists.selectRandomKey(lists.keys);
        if (lists.lengths[key] == LIST_SIZE) {
            lists.state.clear();
            lists.lengths[key] = 0;
        }
        lists.state.add(BenchRows.row(lists.lengths[key]++, key));
    }

    /** One operation: select the key, get the list and go over its elements. */
    @Benchmark
    public void get(Full lists, Blackhole sink) throws Exception {
        lists.selectRandomKey(lists.keys);
        for (RowData row : lists.state.get()) {
            sink.consume(row);
        }
    }

    private static ListStateDescriptor<RowData> descriptor() {
        return new ListStateDescriptor<>("list", BenchRows.serializer());
    }

    private static List<RowData> rows(int key, int count) {
        List<RowData> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            rows.add(BenchRows.row(i, key));
        }
        return rows;
    }
}
