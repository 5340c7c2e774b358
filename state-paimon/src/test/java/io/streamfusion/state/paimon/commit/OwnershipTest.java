package io.streamfusion.state.paimon.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.kit.SimulatedJob;
import io.streamfusion.state.paimon.kit.Tables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever Flink does with checkpoints: the files of those that it keeps are there and can be
 * restored and read, other files are not, and its registry alone deletes.
 */
@ExtendWith(NoNativeLeaks.class)
class OwnershipTest {
    private static final List<Integer> KEYS = IntStream.range(0, 200).boxed().toList();
    private static final List<Integer> FEW_KEYS = List.of(3, 7, 150);

    @TempDir Path directory;
    private SimulatedJob<Integer> job;

    @BeforeEach
    void createJob() {
        job = SimulatedJob.onTestFileSystem(directory, 2);
    }

    @AfterEach
    void closeJob() throws Exception {
        job.close();
    }

    /** What a restored attempt has; ends it. */
    private Map<String, String> restored(KeyedStateHandle handle) throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt(handle);
        Map<String, String> found = Contents.of(backend).drain(KEYS);
        Backends.dispose(backend);
        return found;
    }

    private static void changeSome(Contents<Integer> contents, long id) throws Exception {
        contents.change(id % 3 == 0 ? KEYS : FEW_KEYS, id);
    }

    /** A checkpoint that is written and acknowledged, and then the coordinator gives it up. */
    private void abort(CheckpointableKeyedStateBackend<Integer> backend, long id) throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = job.begin(backend, id);
        snapshot.run();
        IncrementalRemoteKeyedStateHandle handle = job.acknowledge(id, snapshot);
        job.giveUp(id, handle);
        ((CheckpointListener) backend).notifyCheckpointAborted(id);
    }

    @Test
    void subsumptionAndAborts() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        Map<Long, Map<String, String>> expected = new HashMap<>();
        for (long id = 1; id <= 24; id++) {
            changeSome(contents, id);
            if (id % 4 == 3) {
                abort(backend, id);
            } else {
                expected.put(id, contents.read(KEYS));
                job.complete(backend, id);
            }
            job.assertOwnership();
            for (Map.Entry<Long, IncrementalRemoteKeyedStateHandle> kept :
                    job.retained().entrySet()) {
                if (id % 5 == 0) {
                    Map<String, String> found = restored(kept.getValue());
                    found.remove("timers");
                    assertThat(found).isEqualTo(expected.get(kept.getKey()));
                }
            }
        }
        assertThat(Tables.byKey(Tables.open(Tables.find(directory).get(0)))).isNotEmpty();
        job.discardAll();
        assertThat(job.files()).isEmpty();
    }

    @Test
    void aCheckpointThatIsAbortedWhileItIsWrittenOwnsNothing() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        job.complete(backend, 1);
        for (long id = 2; id <= 11; id += 3) {
            changeSome(contents, id);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> late = job.begin(backend, id);
            ((CheckpointListener) backend).notifyCheckpointAborted(id);
            changeSome(contents, id + 1);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> cancelled = job.begin(backend, id + 1);
            cancelled.cancel(true);
            changeSome(contents, id + 2);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> next = job.begin(backend, id + 2);
            next.run();
            late.run();
            IncrementalRemoteKeyedStateHandle inTime = job.acknowledge(id + 2, next);
            job.giveUp(id, job.acknowledge(id, late));
            job.complete(backend, id + 2, inTime);
            job.assertOwnership();
        }
        Map<String, String> expected = contents.drain(KEYS);
        assertThat(restored(job.last())).isEqualTo(expected);
        job.discardAll();
        assertThat(job.files()).isEmpty();
    }

    @Test
    void aClaimedCheckpointIsBuiltOnAndItsFilesGoWithTheLastOneThatNeedsThem() throws Exception {
        writeFirstJob();
        Set<Path> first = job.files();
        IncrementalRemoteKeyedStateHandle claimed = job.restart(RecoveryClaimMode.CLAIM);
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt(claimed);
        Contents<Integer> contents = Contents.of(backend);
        contents.change(FEW_KEYS, 7);
        job.complete(backend, 7);
        assertThat(SimulatedJob.filesOf(job.last())).as("built upon").containsAnyElementsOf(first);
        assertThat(contents.drain(KEYS)).isEqualTo(restored(job.last()));
        for (long id = 8; id <= 30; id++) {
            contents.write(FEW_KEYS, id);
            contents.change(KEYS, id);
            job.complete(backend, id);
            job.assertOwnership();
        }
        assertThat(job.files()).as("files of the first job").doesNotContainAnyElementsOf(first);
        Map<String, String> expected = contents.drain(KEYS);
        assertThat(restored(job.last())).isEqualTo(expected);
        job.discardAll();
        assertThat(job.files()).isEmpty();
    }

    @Test
    void aCheckpointThatIsNotClaimedIsLeftAlone() throws Exception {
        writeFirstJob();
        IncrementalRemoteKeyedStateHandle foreign = job.restart(RecoveryClaimMode.NO_CLAIM);
        Map<Path, String> before = contents(directory);
        Map<String, String> rows = restored(foreign);
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt(foreign);
        Contents<Integer> contents = Contents.of(backend);
        contents.change(FEW_KEYS, 7);
        abort(backend, 7);
        job.complete(backend, 8, CheckpointType.FULL_CHECKPOINT);
        assertThat(SimulatedJob.filesOf(job.last()))
                .as("files of a checkpoint that needs no other")
                .doesNotContainAnyElementsOf(before.keySet());
        for (long id = 9; id <= 14; id++) {
            changeSome(contents, id);
            job.complete(backend, id);
        }
        Map<String, String> expected = contents.drain(KEYS);
        assertThat(contents(directory)).containsAllEntriesOf(before);
        assertThat(restored(foreign)).isEqualTo(rows);

        // The owner of the first checkpoint may delete it.
        for (Path file : before.keySet()) {
            Files.delete(file);
        }
        job.assertOwnership();
        assertThat(restored(job.last())).isEqualTo(expected);
        job.discardAll();
        assertThat(job.files()).isEmpty();
    }

    private void writeFirstJob() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        for (long id = 1; id <= 6; id++) {
            changeSome(contents, id);
            job.complete(backend, id);
        }
        Backends.dispose(backend);
    }

    private record Begun(long id, RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {}

    @Test
    void aStormOfFailovers() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        Map<String, String> expected = contents.read(KEYS);
        job.complete(backend, 1);
        Deque<CheckpointableKeyedStateBackend<Integer>> zombies = new ArrayDeque<>();
        Deque<Begun> unfinished = new ArrayDeque<>();
        long id = 2;
        for (int failover = 1; failover <= 20; failover++) {
            zombies.add(backend);
            backend = job.failover();
            contents = Contents.of(backend);
            assertThat(contents.read(KEYS)).as("failover %d", failover).isEqualTo(expected);
            changeSome(contents, failover);
            abort(backend, id++);
            job.assertOwnership();
            if (failover % 4 == 0) {
                expected = contents.read(KEYS);
                job.complete(backend, id++);
                job.assertOwnership();
                contents.change(FEW_KEYS, -failover);
            }
            unfinished.add(new Begun(id, job.begin(backend, id++)));
            if (zombies.size() > 3) {
                // What an old attempt was writing is done at last, and nobody waits for it.
                Begun late = unfinished.poll();
                late.snapshot().run();
                job.giveUp(late.id(), job.acknowledge(late.id(), late.snapshot()));
                job.assertOwnership();
                Backends.dispose(zombies.poll());
            }
        }
        job.complete(backend, id++);
        job.complete(backend, id++);
        job.assertOwnership();
        expected = contents.drain(KEYS);
        assertThat(restored(job.last())).isEqualTo(expected);
        unfinished.forEach(left -> left.snapshot().cancel(true));
        job.discardAll();
        assertThat(job.files()).isEmpty();
    }

    @Test
    void directoriesOfFormerAttemptsGoWithTheirFiles() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        long id = 1;
        job.complete(backend, id++);
        Path tables = directory.resolve("shared").resolve("streamfusion");
        List<Path> former = new ArrayList<>();
        for (int attempt = 2; attempt <= 4; attempt++) {
            former.add(tableOf(job.last()));
            Backends.dispose(backend);
            backend = job.failover();
            contents = Contents.of(backend);
            contents.change(FEW_KEYS, id);
            job.complete(backend, id++);
            assertThat(former.getLast()).as("built upon").isNotEmptyDirectory();
            for (int i = 0; i < 30; i++) {
                contents.write(FEW_KEYS, id);
                contents.change(KEYS, id);
                job.complete(backend, id++);
                job.assertOwnership();
            }
            Set<Path> used =
                    job.files().stream()
                            .filter(file -> file.startsWith(tables))
                            .map(file -> tables.resolve(tables.relativize(file).getName(0)))
                            .collect(Collectors.toSet());
            assertThat(tables).isDirectoryNotContaining(table -> !used.contains(table));
        }
        assertThat(former).as("the files of one are gone").anyMatch(Files::notExists);
        Map<String, String> expected = contents.drain(KEYS);
        assertThat(restored(job.last())).isEqualTo(expected);
    }

    @Test
    void anotherJobsDirectoriesAreLeftAlone() throws Exception {
        writeFirstJob();
        Path table = tableOf(job.last());
        IncrementalRemoteKeyedStateHandle foreign = job.restart(RecoveryClaimMode.NO_CLAIM);
        Path ofOther = Files.createDirectories(directory.resolve("other"));
        try (SimulatedJob<Integer> other = SimulatedJob.onTestFileSystem(ofOther, 1)) {
            CheckpointableKeyedStateBackend<Integer> backend = other.attempt(foreign);
            Contents<Integer> contents = Contents.of(backend);
            other.complete(backend, 7, CheckpointType.FULL_CHECKPOINT);
            for (Path file : job.files()) {
                if (file.startsWith(table)) {
                    Files.delete(file);
                }
            }
            for (long id = 8; id <= 12; id++) {
                changeSome(contents, id);
                other.complete(backend, id);
            }
        }
        assertThat(table.resolve("snapshot")).isEmptyDirectory();
    }

    @Test
    void aZombieDoesNotTouchItsSuccessor() throws Exception {
        CheckpointableKeyedStateBackend<Integer> zombie = job.attempt();
        Contents<Integer> old = Contents.of(zombie);
        old.write(KEYS, 1);
        job.complete(zombie, 1);
        old.change(KEYS, 2);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> late = job.begin(zombie, 2);

        CheckpointableKeyedStateBackend<Integer> successor = job.failover();
        Contents<Integer> contents = Contents.of(successor);
        contents.change(FEW_KEYS, 3);
        IncrementalRemoteKeyedStateHandle third = job.complete(successor, 3);
        Path table = tableOf(third);
        Map<Path, String> before = contents(table);
        Map<String, String> rows = Tables.byKey(Tables.open(table));

        late.run();
        job.giveUp(2, job.acknowledge(2, late));
        ((CheckpointListener) zombie).notifyCheckpointComplete(2);
        old.change(KEYS, 4);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> later = job.begin(zombie, 4);
        later.run();
        job.giveUp(4, job.acknowledge(4, later));
        ((CheckpointListener) zombie).notifyCheckpointAborted(4);

        assertThat(contents(table)).isEqualTo(before);
        assertThat(Tables.byKey(Tables.open(table))).isEqualTo(rows);
        job.assertOwnership();
        for (long id = 5; id <= 8; id++) {
            changeSome(contents, id);
            job.complete(successor, id);
            job.assertOwnership();
        }
        assertThat(tableOf(job.last())).isEqualTo(table);
        Map<String, String> expected = contents.drain(KEYS);
        assertThat(restored(job.last())).isEqualTo(expected);
        Backends.dispose(zombie);
        job.discardAll();
        assertThat(job.files()).isEmpty();
    }

    /** The table that the snapshot file of a checkpoint is in. */
    private static Path tableOf(IncrementalRemoteKeyedStateHandle handle) {
        return SimulatedJob.filesOf(handle).stream()
                .filter(file -> file.getParent().endsWith("snapshot"))
                .map(file -> file.getParent().getParent())
                .findAny()
                .orElseThrow();
    }

    /** The bytes of all files below a folder. */
    private static Map<Path, String> contents(Path folder) throws IOException {
        Map<Path, String> contents = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                contents.put(file, HexFormat.of().formatHex(Files.readAllBytes(file)));
            }
        }
        return contents;
    }
}
