package io.streamfusion.state.paimon.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.kit.FailingCall;
import io.streamfusion.state.paimon.kit.SimulatedJob;
import io.streamfusion.state.paimon.kit.Tables;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Storage of another scheme than the local one, of which every single call fails in turn. */
@ExtendWith(NoNativeLeaks.class)
class FailingStorageTest {
    private static final List<Integer> KEYS = IntStream.range(0, 200).boxed().toList();
    private static final List<Integer> FEW_KEYS = List.of(3, 7, 150);

    @TempDir Path directory;
    private SimulatedJob<Integer> job;

    @BeforeEach
    void createJob() {
        job = SimulatedJob.onTestFileSystem(directory, 1);
    }

    @AfterEach
    void closeJob() throws Exception {
        for (FailingCall call : FailingCall.values()) {
            call.cancel();
        }
        job.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = FailingCall.class,
            names = {"CREATE", "WRITE", "CLOSE", "RENAME", "RENAME_ANSWER"})
    void aCheckpointFailsWithoutTraceAndTheNextOneSucceeds(FailingCall call) throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        job.complete(backend, 1);
        contents.change(FEW_KEYS, 2);
        job.complete(backend, 2);
        int failures = 0;
        long id = 3;
        for (boolean reached = true; reached; id++) {
            contents.change(FEW_KEYS, id);
            Set<Path> before = job.files();
            call.failAt(failures + 1);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = job.begin(backend, id);
            snapshot.run();
            reached = !call.cancel();
            if (reached) {
                failures++;
            }
            if (reached && !isRetried(call, snapshot)) {
                assertThatThrownBy(snapshot::get)
                        .as("%s %d", call, failures)
                        .isInstanceOf(ExecutionException.class)
                        .hasStackTraceContaining(FailingCall.MESSAGE);
                assertThat(job.files()).as("after %s %d", call, failures).isEqualTo(before);
                contents.change(FEW_KEYS, -id);
                job.complete(backend, ++id);
            } else {
                job.complete(backend, id, job.acknowledge(id, snapshot));
            }
            job.assertOwnership();
        }
        assertThat(failures).isPositive();
        assertThat(Tables.byKey(Tables.open(Tables.find(directory).get(0)))).isNotEmpty();
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(Contents.of(job.failover()).drain(KEYS)).isEqualTo(expected);
        job.discardAll();
        assertThat(job.files()).isEmpty();
    }

    /** Flink itself tries several times to create the file of the manifest, the last one. */
    private static boolean isRetried(
            FailingCall call, RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {
        return call == FailingCall.CREATE && snapshot.state() == Future.State.SUCCESS;
    }

    @ParameterizedTest
    @EnumSource(
            value = FailingCall.class,
            names = {"OPEN", "READ"})
    void aRestoreFailsClearlyAndTheNextOneSucceeds(FailingCall call) throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        job.complete(backend, 1);
        contents.change(KEYS, 2);
        job.complete(backend, 2);
        Map<String, String> expected = contents.drain(KEYS);
        Set<Path> before = new HashSet<>(job.files());
        int failures = 0;
        while (true) {
            call.failAt(failures + 1);
            Throwable thrown = catchThrowable(job::failover);
            if (call.cancel()) {
                assertThat(thrown).isNull();
                break;
            }
            failures++;
            assertThat(thrown)
                    .as("%s %d", call, failures)
                    .hasStackTraceContaining(FailingCall.MESSAGE);
            assertThat(job.files()).isEqualTo(before);
        }
        assertThat(failures).isPositive();

        assertThat(Contents.of(job.failover()).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void goesOnFromAttemptToAttempt() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = job.attempt();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        for (int id = 1; id <= 6; id++) {
            contents.change(id % 2 == 0 ? KEYS : FEW_KEYS, id);
            job.complete(backend, id);
        }
        Backends.dispose(backend);
        for (int id = 7; id <= 12; id++) {
            CheckpointableKeyedStateBackend<Integer> next = job.failover();
            contents = Contents.of(next);
            contents.change(FEW_KEYS, id);
            job.complete(next, id);
            job.assertOwnership();
        }
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(Contents.of(job.failover()).drain(KEYS)).isEqualTo(expected);
    }
}
