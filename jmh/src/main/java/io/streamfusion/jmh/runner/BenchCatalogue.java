package io.streamfusion.jmh.runner;

import io.streamfusion.jmh.report.Statistic;
import io.streamfusion.jmh.runner.BenchCase.Bars;
import io.streamfusion.jmh.runner.BenchCase.Effort;
import io.streamfusion.jmh.state.CheckpointBench;
import io.streamfusion.jmh.state.CheckpointedValueBench;
import io.streamfusion.jmh.state.KeyChoice;
import io.streamfusion.jmh.state.ListStateBench;
import io.streamfusion.jmh.state.MapStateBench;
import io.streamfusion.jmh.state.RescaleBench;
import io.streamfusion.jmh.state.RestoreBench;
import io.streamfusion.jmh.state.RowForm;
import io.streamfusion.jmh.state.TimerBench;
import io.streamfusion.jmh.state.ValueStateBench;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All cases, in the size that counts and in a small one that only shows that they run. */
final class BenchCatalogue {
    private static final int MILLION = 1_000_000;
    private static final int QUICK_DIVISOR = 50;

    private static final String MEMORY = "streamfusion-memory";
    private static final String PAIMON = "streamfusion-paimon";
    private static final String ROCKSDB = "rocksdb";

    /** Full checkpoints of everything say nothing about increments, so hashmap stays out. */
    private static final List<String> INCREMENTAL = List.of(ROCKSDB, MEMORY, PAIMON);

    /** Those that hold more state than memory. */
    private static final List<String> SPILLING = List.of(ROCKSDB, PAIMON);

    /** 10 M entries with it are 2 GiB. */
    private static final RowForm WIDE_ROWS = new RowForm(176);

    private static final int STATE_OVER_MANAGED_MEMORY = 4;

    private final Preset preset;
    private final List<BenchCase> cases = new ArrayList<>();

    private BenchCatalogue(Preset preset) {
        this.preset = preset;
    }

    static List<BenchCase> cases(Preset preset) {
        BenchCatalogue catalogue = new BenchCatalogue(preset);
        catalogue.rows();
        catalogue.snapshots();
        catalogue.rowsUnderCheckpoints();
        catalogue.tables();
        return List.copyOf(catalogue.cases);
    }

    private void rows() {
        for (int millions : new int[] {1, 10}) {
            row(
                    "value-" + millions + "m",
                    "value",
                    "ValueState get + update, " + millions + " M keys",
                    ValueStateBench.class,
                    "getUpdate",
                    Map.of("keys", size(millions * MILLION)),
                    ratios(6.0, millions == 1 ? 0.8 : 1.0));
        }
        for (String method : List.of("put", "get", "iterate")) {
            row(
                    "map-" + method,
                    "map",
                    "MapState " + method + ", maps of 100, 1 M entries",
                    MapStateBench.class,
                    method,
                    Map.of("entries", size(MILLION)),
                    ratios(5.0, 0.5));
        }
        for (String method : List.of("add", "get")) {
            row(
                    "list-" + method,
                    "list",
                    "ListState " + method + ", lists up to 20, 1 M keys",
                    ListStateBench.class,
                    method,
                    Map.of("keys", size(MILLION)),
                    ratios(5.0, 0.5));
        }
        row(
                "timer",
                "timer",
                "Timer register + fire, 1 M waiting",
                TimerBench.class,
                "registerFire",
                Map.of("timers", size(MILLION)),
                ratios(3.0, 0.7));
    }

    private void snapshots() {
        Bars bars = Bars.of(MEMORY);
        checkpoint("sync", "synchronous part", bars.withLimit(Bars.TIME, Statistic.MEDIAN, 5.0));
        checkpoint(
                "async",
                "asynchronous part",
                bars.withLimit("bytesPerDirtyByte", Statistic.MEDIAN, 1.5));
        restore("restore", "restore", "CHECKPOINT", "", bars.withRatios(Map.of(ROCKSDB, 2.0)));
        restore("restore-read", "restoreRead", "CHECKPOINT", ", then 100 k reads", bars);
        restore("restore-rescaled", "restore", "RESCALED", ", lower half of key groups", bars);
        restore("restore-canonical", "restore", "CANONICAL", ", canonical savepoint", bars);
    }

    private void checkpoint(String method, String words, Bars bars) {
        add(
                "checkpoint-" + method,
                "checkpoint",
                "Checkpoint, 10 M entries, 100 k dirty: " + words,
                CheckpointBench.class,
                method,
                Map.of("entries", size(10 * MILLION), "dirty", size(MILLION / 10)),
                preset.choose(shots(2, 8), shots(2, 5), shots(1, 2)),
                0,
                INCREMENTAL,
                bars);
    }

    private void restore(String id, String method, String form, String words, Bars bars) {
        add(
                id,
                "restore",
                "Restore of 10 M entries" + words,
                RestoreBench.class,
                method,
                Map.of("entries", size(10 * MILLION), "dirty", size(MILLION / 10), "form", form),
                restoreEffort(),
                0,
                INCREMENTAL,
                bars);
    }

    /** As a job reads and writes, with a checkpoint each second. */
    private void rowsUnderCheckpoints() {
        add(
                "value-1m-checkpointed",
                "checkpointed",
                "ValueState get + update, 1 M keys, a checkpoint each second",
                CheckpointedValueBench.class,
                "getUpdate",
                Map.of("keys", size(MILLION)),
                preset.choose(time(3, 6, 5), time(1, 4, 4), time(1, 2, 1.5)),
                0,
                INCREMENTAL,
                Bars.of(PAIMON, MEMORY).withRatios(Map.of(ROCKSDB, 5.0)));
        spill("", KeyChoice.UNIFORM, "uniform keys", 1.5);
        spill("-zipf", KeyChoice.ZIPF, "zipf 1.0 keys", 3.0);
    }

    private void spill(String suffix, KeyChoice choice, String words, double bar) {
        int keys = Integer.parseInt(size(20 * MILLION));
        long stateBytes = (long) keys * WIDE_ROWS.entryBytes();
        add(
                "value-20m-spill" + suffix,
                "spill",
                "ValueState get + update, 20 M keys, state "
                        + STATE_OVER_MANAGED_MEMORY
                        + "× managed memory, a checkpoint each second, "
                        + words,
                CheckpointedValueBench.class,
                "getUpdate",
                Map.of(
                        "keys",
                        Integer.toString(keys),
                        "payload",
                        Integer.toString(WIDE_ROWS.payload()),
                        "choice",
                        choice.name()),
                preset.choose(time(3, 6, 10), time(2, 4, 10), time(1, 2, 1.5)),
                (stateBytes / STATE_OVER_MANAGED_MEMORY) >> 20,
                SPILLING,
                Bars.of(PAIMON).withRatios(Map.of(ROCKSDB, bar)));
    }

    private void tables() {
        Bars bars = Bars.of(PAIMON);
        Bars small = Bars.of(PAIMON, MEMORY);
        smallCheckpoint(
                "sync", "synchronous part", small.withLimit(Bars.TIME, Statistic.MEDIAN, 2.0));
        smallCheckpoint(
                "total",
                "until durable",
                small.withRatios(Map.of(ROCKSDB, 1.0))
                        .withLimit("bytesPerDirtyByte", Statistic.MEAN, 2.0));
        add(
                "checkpoint-500",
                "checkpoint-500",
                "500 checkpoints, 10 M entries, 20 k dirty each: until durable",
                CheckpointBench.class,
                "total",
                Map.of("entries", size(10 * MILLION), "dirty", size(MILLION / 50)),
                preset.choose(shots(10, 500), shots(10, 500), shots(2, 30)),
                0,
                List.of(PAIMON),
                bars.withLimit(Bars.TIME, Statistic.GROWTH, 1.3)
                        .withLimit("bytesPerDirtyByte", Statistic.MEAN, 2.0)
                        .withLimit("liveDataFiles", Statistic.PEAK_GROWTH, 1.25)
                        .withLimit("deletionVectorBytes", Statistic.PEAK_GROWTH, 1.25));
        wideRestore("restore-2g", "restore", "", bars.withRatios(Map.of(ROCKSDB, 2.0)));
        wideRestore("restore-2g-read", "restoreRead", ", then 100 k reads", bars);
        add(
                "rescale-2g",
                "restore-2g",
                "Restore of 2 GiB, 2 subtasks become 3: all of them in turn",
                RescaleBench.class,
                "restore",
                wideEntries(),
                restoreEffort(),
                0,
                INCREMENTAL,
                bars.withRatioOf("slowestMillis", ROCKSDB, 2.0));
    }

    private void smallCheckpoint(String method, String words, Bars bars) {
        add(
                "checkpoint-1m-" + method,
                "checkpoint-1m",
                "Checkpoint, 1 M entries, 20 k dirty: " + words,
                CheckpointBench.class,
                method,
                Map.of("entries", size(MILLION), "dirty", size(MILLION / 50)),
                preset.choose(shots(10, 60), shots(5, 30), shots(1, 5)),
                0,
                INCREMENTAL,
                bars);
    }

    private void wideRestore(String id, String method, String words, Bars bars) {
        add(
                id,
                "restore-2g",
                "Restore of 2 GiB" + words,
                RestoreBench.class,
                method,
                wideEntries(),
                restoreEffort(),
                0,
                INCREMENTAL,
                bars);
    }

    private Map<String, String> wideEntries() {
        return Map.of(
                "entries",
                size(10 * MILLION),
                "dirty",
                size(MILLION / 10),
                "payload",
                Integer.toString(WIDE_ROWS.payload()));
    }

    private void row(
            String id,
            String group,
            String title,
            Class<?> type,
            String method,
            Map<String, String> parameters,
            Bars bars) {
        Effort effort = preset.choose(time(4, 5, 2), time(2, 4, 1.5), time(1, 2, 0.3));
        add(id, group, title, type, method, parameters, effort, 0, List.of(), bars);
    }

    private void add(
            String id,
            String group,
            String title,
            Class<?> type,
            String method,
            Map<String, String> parameters,
            Effort effort,
            long managedMib,
            List<String> backends,
            Bars bars) {
        cases.add(
                new BenchCase(
                        id,
                        group,
                        title,
                        type.getName() + "." + method,
                        parameters,
                        effort,
                        managedMib,
                        backends,
                        bars));
    }

    private static Bars ratios(double rocksdb, double hashmap) {
        return Bars.of(MEMORY, PAIMON).withRatios(Map.of(ROCKSDB, rocksdb, "hashmap", hashmap));
    }

    private Effort restoreEffort() {
        return preset.choose(shots(1, 3), shots(1, 2), shots(1, 1));
    }

    private static Effort shots(int warmups, int iterations) {
        return new Effort(true, warmups, iterations, 0);
    }

    private static Effort time(int warmups, int iterations, double seconds) {
        return new Effort(false, warmups, iterations, seconds);
    }

    private String size(int full) {
        return Integer.toString(preset == Preset.QUICK ? full / QUICK_DIVISOR : full);
    }
}
