package io.streamfusion.state.paimon.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.rss.ChildJvm;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.paimon.kit.SimulatedJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * Takes checkpoints on a disk that has room for a page more each time, until one fits. A main class
 * of a JVM of its own; argument: the root of a small disk.
 */
final class CheckpointsUntilFull {
    private static final List<Integer> KEYS = IntStream.range(0, 200).boxed().toList();
    private static final List<Integer> FEW_KEYS = List.of(3, 7, 150);

    private CheckpointsUntilFull() {}

    /** See the class comment. */
    public static void main(String[] arguments) throws Exception {
        Path disk = Path.of(arguments[0]);
        Path storage = Files.createDirectory(disk.resolve("checkpoints"));
        try (SimulatedJob<Integer> job =
                new SimulatedJob<>(
                        storage,
                        new org.apache.flink.core.fs.Path(storage.toUri()),
                        1,
                        new Configuration(),
                        IntSerializer.INSTANCE)) {
            ChildJvm.announce("failures", run(job, new Filler(disk)));
        }
        ChildJvm.announce(
                "closed", StreamFusionAbi.sf_live_handles(), StreamFusionAbi.sf_charged_bytes());
    }

    private static int run(SimulatedJob<Integer> job, Filler filler) throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        job.complete(backend, 1);
        contents.change(KEYS, 2);
        int failures = 0;
        for (long id = 2; ; id++) {
            Set<Path> before = job.files();
            filler.leave(failures);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = job.begin(backend, id);
            snapshot.run();
            filler.remove();
            if (snapshot.state() == Future.State.SUCCESS) {
                job.complete(backend, id, job.acknowledge(id, snapshot));
                job.assertOwnership();
                assertRestores(job, contents);
                break;
            }
            failures++;
            assertThatThrownBy(snapshot::get)
                    .as("with %d pages of room", failures - 1)
                    .isInstanceOf(ExecutionException.class)
                    .hasStackTraceContaining(FullDiskTest.FULL);
            assertThat(job.files()).as("files after failure %d", failures).isEqualTo(before);
            ((CheckpointListener) backend).notifyCheckpointAborted(id);
            contents.change(FEW_KEYS, id);
        }
        job.discardAll();
        assertThat(job.files()).isEmpty();
        return failures;
    }

    private static void assertRestores(SimulatedJob<Integer> job, Contents<Integer> contents)
            throws Exception {
        Map<String, String> expected = contents.drain(KEYS);
        assertThat(Contents.of(job.failover()).drain(KEYS)).isEqualTo(expected);
    }
}
