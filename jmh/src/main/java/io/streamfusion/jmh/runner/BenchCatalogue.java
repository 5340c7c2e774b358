package io.streamfusion.jmh.runner;

import io.streamfusion.jmh.runner.BenchCase.Bars;
import io.streamfusion.jmh.runner.BenchCase.Effort;
import io.streamfusion.jmh.state.CheckpointBench;
import io.streamfusion.jmh.state.ListStateBench;
import io.streamfusion.jmh.state.MapStateBench;
import io.streamfusion.jmh.state.RestoreBench;
import io.streamfusion.jmh.state.TimerBench;
import io.streamfusion.jmh.state.ValueStateBench;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All cases, in the size that counts and in a small one that only shows that they run. */
final class BenchCatalogue {
    private static final int MILLION = 1_000_000;
    private static final int QUICK_DIVISOR = 50;

    /** Full checkpoints of everything say nothing about increments, so hashmap stays out. */
    private static final List<String> INCREMENTAL = List.of("rocksdb", "streamfusion-memory");

    private final boolean quick;
    private final List<BenchCase> cases = new ArrayList<>();

    private BenchCatalogue(boolean quick) {
        this.quick = quick;
    }

    static List<BenchCase> cases(boolean quick) {
        BenchCatalogue catalogue = new BenchCatalogue(quick);
        catalogue.rows();
        catalogue.snapshots();
        return List.copyOf(catalogue.cases);
    }

    private void rows() {
        for (int millions : new int[] {1, 10}) {
            add(
                    "value-" + millions + "m",
                    "value",
                    "ValueState get + update, " + millions + " M keys",
                    ValueStateBench.class,
                    "getUpdate",
                    Map.of("keys", size(millions * MILLION)),
                    row(),
                    List.of(),
                    Bars.ratios(6.0, millions == 1 ? 0.8 : 1.0));
        }
        for (String method : List.of("put", "get", "iterate")) {
            add(
                    "map-" + method,
                    "map",
                    "MapState " + method + ", maps of 100, 1 M entries",
                    MapStateBench.class,
                    method,
                    Map.of("entries", size(MILLION)),
                    row(),
                    List.of(),
                    Bars.ratios(5.0, 0.5));
        }
        for (String method : List.of("add", "get")) {
            add(
                    "list-" + method,
                    "list",
                    "ListState " + method + ", lists up to 20, 1 M keys",
                    ListStateBench.class,
                    method,
                    Map.of("keys", size(MILLION)),
                    row(),
                    List.of(),
                    Bars.ratios(5.0, 0.5));
        }
        add(
                "timer",
                "timer",
                "Timer register + fire, 1 M waiting",
                TimerBench.class,
                "registerFire",
                Map.of("timers", size(MILLION)),
                row(),
                List.of(),
                Bars.ratios(3.0, 0.7));
    }

    private void snapshots() {
        checkpoint("sync", "synchronous part", new Bars(Map.of(), Map.of("time", 5.0)));
        checkpoint(
                "async", "asynchronous part", new Bars(Map.of(), Map.of("bytesPerDirtyByte", 1.5)));
        restore("restore", "restore", "CHECKPOINT", "", new Bars(Map.of("rocksdb", 2.0), Map.of()));
        restore("restore-read", "restoreRead", "CHECKPOINT", ", then 100 k reads", Bars.NONE);
        restore("restore-rescaled", "restore", "RESCALED", ", lower half of key groups", Bars.NONE);
        restore("restore-canonical", "restore", "CANONICAL", ", canonical savepoint", Bars.NONE);
    }

    private void checkpoint(String method, String words, Bars bars) {
        add(
                "checkpoint-" + method,
                "checkpoint",
                "Checkpoint, 10 M entries, 100 k dirty: " + words,
                CheckpointBench.class,
                method,
                Map.of("entries", size(10 * MILLION), "dirty", size(MILLION / 10)),
                new Effort(true, quick ? 1 : 2, quick ? 2 : 8, 0),
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
                new Effort(true, 1, quick ? 1 : 3, 0),
                INCREMENTAL,
                bars);
    }

    private void add(
            String id,
            String group,
            String title,
            Class<?> type,
            String method,
            Map<String, String> parameters,
            Effort effort,
            List<String> backends,
            Bars bars) {
        String benchmark = type.getName() + "." + method;
        cases.add(new BenchCase(id, group, title, benchmark, parameters, effort, backends, bars));
    }

    private Effort row() {
        return quick ? new Effort(false, 1, 2, 0.3) : new Effort(false, 4, 5, 2);
    }

    private String size(int full) {
        return Integer.toString(quick ? full / QUICK_DIVISOR : full);
    }
}
