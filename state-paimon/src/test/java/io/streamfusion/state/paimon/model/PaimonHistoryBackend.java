package io.streamfusion.state.paimon.model;

import io.streamfusion.ffi.NativeTableCompression;
import io.streamfusion.state.memory.StreamFusionOptions;
import io.streamfusion.state.memory.model.HistoryBackend;
import io.streamfusion.state.memory.model.ModelStorage;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.StateBackend;

/**
 * The backend whose checkpoints are tables, with small chunks, every compression and limits that
 * short histories reach; every other variant has less memory than its rows need.
 */
final class PaimonHistoryBackend implements HistoryBackend {
    /** A key group keeps its newest chunk in memory, and a list that is read has to fit. */
    private static final MemorySize SCARCE_MEMORY = MemorySize.parse("80kb");

    private static final int SCARCE_MEMORY_PADDING = 7000;
    private static final String SPILL_WRITTEN = "spillWrittenBytes";

    private final Path spillDirectory;
    private final List<Gauge<?>> spillWritten = new ArrayList<>();
    private long spilledBytes;

    PaimonHistoryBackend(Path spillDirectory) {
        this.spillDirectory = spillDirectory;
    }

    /** Bytes that tasks have written to spill files. */
    long spilledBytes() {
        return spilledBytes;
    }

    private static boolean hasScarceMemory(int variant) {
        return variant / NativeTableCompression.values().length % 2 == 1;
    }

    @Override
    public StateBackend create(boolean incremental, int variant) {
        NativeTableCompression[] compressions = NativeTableCompression.values();
        int limits = variant / compressions.length;
        Configuration options =
                new Configuration()
                        .set(PaimonOptions.COMPRESSION, compressions[variant % compressions.length])
                        .set(PaimonOptions.BUCKETS, 1 + limits / 2 % 4)
                        .set(PaimonOptions.TYPED_COLUMNS, limits / 8 % 2 == 0)
                        .set(PaimonOptions.TARGET_FILE_SIZE, MemorySize.parse("2kb"))
                        .set(PaimonOptions.COMPACTION_FAN_IN, 2 + limits / 16 % 3)
                        .set(PaimonOptions.SPILL_DIRECTORIES, List.of(spillDirectory.toString()))
                        .set(StreamFusionOptions.CHUNK_SIZE, MemorySize.parse("4kb"));
        if (hasScarceMemory(variant)) {
            options.set(StreamFusionOptions.FIXED_PER_SLOT, SCARCE_MEMORY);
        }
        return new StreamFusionPaimonStateBackend(incremental)
                .configure(options, getClass().getClassLoader());
    }

    @Override
    public int padding(int variant) {
        return hasScarceMemory(variant) ? SCARCE_MEMORY_PADDING : 0;
    }

    @Override
    public ModelStorage storage() {
        return new TableStorage();
    }

    @Override
    public MetricGroup metrics() {
        return new UnregisteredMetricsGroup() {
            @Override
            public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
                if (name.equals(SPILL_WRITTEN)) {
                    spillWritten.add(gauge);
                }
                return gauge;
            }

            @Override
            public MetricGroup addGroup(String name) {
                return this;
            }
        };
    }

    @Override
    public void tasksEnd() {
        for (Gauge<?> gauge : spillWritten) {
            spilledBytes += (Long) gauge.getValue();
        }
        spillWritten.clear();
    }
}
