package io.streamfusion.state.paimon.rss;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.StreamFusionOptions;
import io.streamfusion.state.memory.rss.ChildJvm;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.kit.SimulatedJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * Works at random on state that is several times its memory, under checkpoints, and restores it
 * from the last one. A main class of a JVM of its own; arguments: the budget in megabytes, the
 * number of keys, the number of checkpoints, the operations between two of them, a directory.
 */
final class SpillingSoak {
    /** The process does once in small what it will do, so that this is no growth later. */
    private static final long WARM_UP_BUDGET = 16L << 20;

    private static final int WARM_UP_DIVISOR = 8;

    private final Path directory;
    private final SimulatedJob<Integer> job;
    private final SplittableRandom random = new SplittableRandom(1);
    private MetricListener metrics;
    private CheckpointableKeyedStateBackend<Integer> backend;

    /** The model as of the last completed checkpoint. */
    private SoakModel completed;

    private record Running(
            long id, SoakModel model, RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {}

    private SpillingSoak(long budget, Path directory) throws Exception {
        this.directory = directory;
        Path checkpoints = Files.createDirectories(directory.resolve("checkpoints"));
        Path spill = Files.createDirectories(directory.resolve("spill"));
        Configuration options =
                new Configuration()
                        .set(StreamFusionOptions.FIXED_PER_SLOT, new MemorySize(budget))
                        .set(PaimonOptions.SPILL_DIRECTORIES, List.of(spill.toString()));
        job =
                new SimulatedJob<>(
                        checkpoints,
                        new org.apache.flink.core.fs.Path(checkpoints.toUri()),
                        1,
                        options,
                        IntSerializer.INSTANCE);
    }

    /** See the class comment. */
    public static void main(String[] arguments) throws Exception {
        long budget = Long.parseLong(arguments[0]) << 20;
        int keys = Integer.parseInt(arguments[1]);
        int checkpoints = Integer.parseInt(arguments[2]);
        int steps = Integer.parseInt(arguments[3]);
        Path directory = Path.of(arguments[4]);
        new SpillingSoak(WARM_UP_BUDGET, directory.resolve("warm-up"))
                .run(keys / WARM_UP_DIVISOR, checkpoints, steps / WARM_UP_DIVISOR, false);
        ChildJvm.announce("empty");
        new SpillingSoak(budget, directory.resolve("soak")).run(keys, checkpoints, steps, true);
        ChildJvm.announce(
                "closed", StreamFusionAbi.sf_live_handles(), StreamFusionAbi.sf_charged_bytes());
    }

    private void run(int keys, int checkpoints, int steps, boolean announces) throws Exception {
        open();
        SoakModel model = new SoakModel(keys);
        SoakedState state = new SoakedState(backend, model);
        state.fill(random);
        // A daemon, so that the process ends when the main thread fails.
        try (ExecutorService writer =
                Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory())) {
            for (long id = 1; id <= checkpoints; id++) {
                work(state, steps / 2);
                Running running = new Running(id, model.copy(), job.begin(backend, id));
                if (announces) {
                    announce("checkpoint");
                }
                writer.execute(running.snapshot());
                // The last ones are in no checkpoint.
                work(state, steps / 2);
                finish(running, id % 4 == 3);
            }
        }
        Backends.dispose(backend);

        open(job.last());
        if (announces) {
            announce("restored");
        }
        new SoakedState(backend, completed).assertAll();
        if (announces) {
            // Figures are published when a checkpoint begins.
            job.begin(backend, checkpoints + 1L).cancel(true);
            announce("read");
        }
        end();
    }

    private void work(SoakedState state, int steps) throws Exception {
        for (int step = 0; step < steps; step++) {
            state.step(random);
        }
    }

    private void open(KeyedStateHandle... restored) throws Exception {
        metrics = new MetricListener();
        job.backends().setMetrics(metrics.getMetricGroup());
        backend = job.attempt(restored);
    }

    private void finish(Running running, boolean isAborted) throws Exception {
        IncrementalRemoteKeyedStateHandle handle =
                job.acknowledge(running.id(), running.snapshot());
        if (isAborted) {
            job.giveUp(running.id(), handle);
            ((CheckpointListener) backend).notifyCheckpointAborted(running.id());
        } else {
            job.complete(backend, running.id(), handle);
            completed = running.model();
        }
        job.assertOwnership();
    }

    private void announce(String what) throws Exception {
        ChildJvm.announce(
                what,
                gauge("entryBytes"),
                gauge("spilledBytes"),
                gauge("spillWrittenBytes"),
                gauge("spillReadBytes"),
                StreamFusionAbi.sf_charged_bytes());
    }

    private long gauge(String name) {
        Gauge<Long> gauge = metrics.<Long>getGauge("streamfusion", name).orElseThrow();
        return gauge.getValue();
    }

    private void end() throws Exception {
        job.discardAll();
        assertThat(job.files()).as("files of deleted checkpoints").isEmpty();
        job.close();
        try (Stream<Path> left = Files.list(directory.resolve("spill"))) {
            assertThat(left).as("spill directories of closed backends").isEmpty();
        }
    }
}
