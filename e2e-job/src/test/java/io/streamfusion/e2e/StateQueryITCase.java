package io.streamfusion.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.cluster.FlinkCluster;
import io.streamfusion.cluster.FlinkJob;
import io.streamfusion.cluster.RestClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Flink's own SQL client, in a home with Paimon, selects from the state that a running job has in
 * its last checkpoint.
 */
class StateQueryITCase {
    private static final int KEYS = Event.HOT_KEYS;

    @RegisterExtension final Workspace workspace = new Workspace();

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theSqlClientReadsTheStateOfARunningJob() throws Exception {
        Path checkpoints = workspace.directory("checkpoints");
        FlinkCluster cluster =
                workspace.closeAfterTest(
                        new FlinkCluster(
                                FlinkHome.withPaimon(),
                                Path.of(System.getProperty("java.home")),
                                workspace.root(),
                                configuration(checkpoints)));
        cluster.startJobManager();
        cluster.startTaskManager(2);
        cluster.awaitTaskManagers();
        FlinkJob job = submit(cluster.rest());
        job.await("all hot keys are in a completed checkpoint", this::allHotKeysAreCommitted);

        Path script =
                Files.writeString(
                        workspace.root().resolve("query.sql"),
                        """
                        SET 'execution.runtime-mode' = 'batch';
                        SET 'sql-client.execution.result-mode' = 'tableau';
                        SET 'parallelism.default' = '1';
                        SET 'rest.port' = '%d';
                        CREATE CATALOG state WITH ('type' = 'streamfusion-state', 'path' = '%s');
                        SELECT 'hot keys:' AS c, COUNT(*) AS n FROM state.accounts.`count`
                          WHERE key LIKE 'hot-%%' AND `value` > 0;
                        """
                                .formatted(
                                        cluster.restPort(), checkpoints.resolve(job.id()).toUri()));
        String printed = cluster.run("sql-client.sh", List.of("-f", script.toString()));

        assertThat(printed)
                .containsPattern(Pattern.compile("hot keys:[ |]+" + KEYS + "\\b"))
                .doesNotContain("[ERROR]");
    }

    private static Map<String, String> configuration(Path checkpoints) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("state.backend.type", "streamfusion-paimon");
        options.put("execution.checkpointing.dir", checkpoints.toUri().toString());
        options.put("execution.checkpointing.interval", "500 ms");
        // A query may take longer than the next checkpoint.
        options.put("execution.checkpointing.num-retained", "1000");
        options.put("jobmanager.memory.process.size", "1100m");
        options.put("taskmanager.memory.process.size", "1100m");
        options.put("taskmanager.memory.managed.size", "128m");
        options.put("taskmanager.memory.network.max", "64m");
        return options;
    }

    private FlinkJob submit(RestClient rest) throws IOException {
        String jar = rest.upload(FlinkHome.userJar());
        String id =
                rest.post(
                                "/jars/" + jar + "/run",
                                Map.of(
                                        "parallelism",
                                        1,
                                        "programArgsList",
                                        List.of(
                                                "--partitions",
                                                "1",
                                                "--rate",
                                                "500",
                                                "--end-file",
                                                workspace.root().resolve("end").toString(),
                                                "--output",
                                                workspace.directory("output").toUri().toString())))
                        .get("jobid")
                        .asText();
        return new FlinkJob(rest, id);
    }

    /** Output is committed with the checkpoint whose state it goes with. */
    private boolean allHotKeysAreCommitted() throws IOException {
        CommittedOutput committed = CommittedOutput.read(workspace.directory("output"));
        return IntStream.range(0, KEYS)
                .allMatch(i -> committed.count(Lines.count("hot-" + i, 1)) == 1);
    }
}
