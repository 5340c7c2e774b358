package io.streamfusion.jmh.state;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
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

/** {@code MapState}: maps of 100 entries; put and get at a random key, iteration over a map. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MapStateBench extends BackendState {
    private static final int MAP_SIZE = 100;

    /** Entries in all maps together; each map has {@value #MAP_SIZE}. */
    @Param({"1000000"})
    public int entries;

    private int keys;
    private MapState<Long, RowData> state;

    /**
     * Opens the backend and fills the maps, key after key in rounds, so that no map is built in one
     * go.
     */
    @Setup(Level.Trial)
    public void fill() throws Exception {
        open();
        keys = entries / MAP_SIZE;
        state =
                fixture.state(
                        new MapStateDescriptor<>(
                                "map", LongSerializer.INSTANCE, BenchRows.serializer()));
        for (long userKey = 0; userKey < MAP_SIZE; userKey++) {
            for (int i = 0; i < keys; i++) {
                selectKey(i);
                state.put(userKey, BenchRows.row(userKey, i));
            }
        }
    }

    /** Frees the backend. */
    @TearDown(Level.Trial)
    public void free() throws Exception {
        close();
    }

    /** One operation: select the key, put over a present user key. */
    @Benchmark
    public void put() throws Exception {
        int key = selectRandomKey(keys);
        long userKey = random.nextInt(MAP_SIZE);
        state.put(userKey, BenchRows.row(userKey, key));
    }

    /** One operation: select the key, get a present user key. */
    @Benchmark
    public RowData get() throws Exception {
        selectRandomKey(keys);
        return state.get((long) random.nextInt(MAP_SIZE));
    }

    /**
     * One operation: select the key, iterate over all {@value #MAP_SIZE} entries with their values.
     */
    @Benchmark
    public void iterate(Blackhole sink) throws Exception {
        selectRandomKey(keys);
        for (Map.Entry<Long, RowData> entry : state.entries()) {
            sink.consume(entry.getKey());
            sink.consume(entry.getValue());
        }
    }
}
