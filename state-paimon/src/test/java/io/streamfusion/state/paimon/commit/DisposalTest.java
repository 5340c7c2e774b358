package io.streamfusion.state.paimon.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.kit.HeldSource;
import io.streamfusion.state.paimon.kit.QueriedJob;
import io.streamfusion.state.paimon.kit.Tables;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.util.MiniClusterWithClientResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What Flink's own disposal leaves of tables that belong to one checkpoint or savepoint: no file
 * and no directory, whether it deletes one handle after the other or all at once.
 */
@ExtendWith(NoNativeLeaks.class)
class DisposalTest {
    private static final List<Integer> NUMBERS = IntStream.range(0, 1000).boxed().toList();
    private static final int CHECKPOINTS = 4;
    private static final int SECONDS = 60;
    private static final long POLL_MILLIS = 50;
    private static final int POLLS = 1200;

    @TempDir Path directory;
    private MiniClusterWithClientResource cluster;

    private void startCluster(boolean parallelCleaning) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(64));
        configuration.set(CheckpointingOptions.CLEANER_PARALLEL_MODE, parallelCleaning);
        cluster =
                new MiniClusterWithClientResource(
                        new MiniClusterResourceConfiguration.Builder()
                                .setNumberTaskManagers(1)
                                .setNumberSlotsPerTaskManager(QueriedJob.PARALLELISM)
                                .setConfiguration(configuration)
                                .build());
        cluster.before();
    }

    @AfterEach
    void stopCluster() {
        cluster.after();
    }

    private QueriedJob start(boolean incremental) throws Exception {
        return start(incremental, new Configuration());
    }

    /** Two operators with state, of two subtasks each. */
    @SuppressWarnings("deprecation")
    private QueriedJob start(boolean incremental, Configuration configuration) throws Exception {
        StreamExecutionEnvironment environment = QueriedJob.environment(directory);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, incremental);
        environment.configure(configuration);
        environment
                .addSource(new HeldSource<>("disposal", List.of(NUMBERS)), Types.INT)
                .setParallelism(1)
                .keyBy(number -> number % 50)
                .reduce(Integer::sum)
                .keyBy(number -> number % 7)
                .reduce(Math::max)
                .sinkTo(new DiscardingSink<>());
        QueriedJob job = QueriedJob.start(cluster.getMiniCluster(), environment);
        HeldSource.emitNext("disposal");
        return job;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDisposedSavepointLeavesNothing(boolean incremental) throws Exception {
        startCluster(true);
        Path savepoints = Files.createDirectory(directory.resolve("savepoints"));
        try (QueriedJob job = start(incremental)) {
            job.checkpoint();
            String savepoint = job.savepoint(savepoints, SavepointFormatType.NATIVE);
            assertThat(Tables.find(Path.of(new URI(savepoint))))
                    .hasSize(2 * QueriedJob.PARALLELISM);
            cluster.getMiniCluster().disposeSavepoint(savepoint).get(SECONDS, TimeUnit.SECONDS);
        }

        assertThat(savepoints).isEmptyDirectory();
    }

    /** It is deleted as the job's own checkpoints are, as soon as there is a later one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimedSavepointLeavesNothing(boolean incremental) throws Exception {
        startCluster(true);
        Path savepoints = Files.createDirectory(directory.resolve("savepoints"));
        String savepoint;
        try (QueriedJob job = start(incremental)) {
            savepoint = job.savepoint(savepoints, SavepointFormatType.NATIVE);
        }
        Configuration claiming = new Configuration();
        claiming.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        claiming.set(StateRecoveryOptions.RESTORE_MODE, RecoveryClaimMode.CLAIM);
        try (QueriedJob job = start(incremental, claiming)) {
            job.checkpoint();
        }
        awaitChildren(savepoints, Set.of());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fullCheckpointsThatAreSubsumedLeaveNothing(boolean parallelCleaning) throws Exception {
        startCluster(parallelCleaning);
        Path ofJob;
        long last = 0;
        try (QueriedJob job = start(false)) {
            ofJob = directory.resolve(job.id().toString());
            for (int i = 0; i < CHECKPOINTS; i++) {
                last = job.checkpoint();
            }
        }
        Path retained = ofJob.resolve("chk-" + last);
        awaitChildren(ofJob, Set.of(retained, ofJob.resolve("shared"), ofJob.resolve("taskowned")));
        assertThat(Tables.find(retained)).hasSize(2 * QueriedJob.PARALLELISM);
        assertThat(children(ofJob.resolve("shared"))).isEmpty();
    }

    /** Flink cleans beside the job, and after its end. */
    private static void awaitChildren(Path folder, Set<Path> expected) throws Exception {
        CommonTestUtils.waitUntilCondition(
                () -> children(folder).equals(expected), POLL_MILLIS, POLLS);
    }

    private static Set<Path> children(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.collect(Collectors.toSet());
        }
    }
}
