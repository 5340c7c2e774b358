package io.streamfusion.nexmark.quickstart;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;

/** A JobManager, one TaskManager and the web UI in this JVM. All files lie under one folder. */
final class EmbeddedFlink implements AutoCloseable {
    private static final String UI_PORTS = "8081-8180";

    private final MiniCluster cluster;
    private final JobTap tap;
    private final Path workDir;
    private final URI webUi;

    private EmbeddedFlink(MiniCluster cluster, JobTap tap, Path workDir, URI webUi) {
        this.cluster = cluster;
        this.tap = tap;
        this.workDir = workDir;
        this.webUi = webUi;
    }

    /**
     * Starts it; the web UI takes the first free port from 8081 on.
     *
     * @param parallelism the greatest of a job; one slot more is there for queries beside it
     */
    static EmbeddedFlink start(int parallelism, Path workDir) throws Exception {
        int slots = parallelism + 1;
        String id = UUID.randomUUID().toString();
        JobTap tap = JobTap.open(id);
        Configuration configuration = configuration(slots, workDir);
        configuration.setString(
                "metrics.reporter.quickstart.factory.class", JobTap.Factory.class.getName());
        configuration.setString("metrics.reporter.quickstart." + JobTap.ID, id);
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(slots)
                                .setRpcServiceSharing(RpcServiceSharing.SHARED)
                                .build());
        try {
            cluster.start();
            return new EmbeddedFlink(cluster, tap, workDir, cluster.getRestAddress().get());
        } catch (Exception e) {
            tap.close();
            cluster.close();
            throw e;
        }
    }

    private static Configuration configuration(int slots, Path workDir) throws IOException {
        String temporary = Files.createDirectories(workDir.resolve("tmp")).toString();
        Configuration configuration = new Configuration();
        configuration.setString("rest.address", "localhost");
        configuration.setString("rest.bind-address", "localhost");
        configuration.setString("rest.bind-port", UI_PORTS);
        configuration.setString("io.tmp.dirs", temporary);
        configuration.setString("web.tmpdir", temporary);
        configuration.setString("web.submit.enable", "false");
        configuration.setString("taskmanager.memory.managed.size", 256 * slots + "mb");
        configuration.setString("taskmanager.memory.network.min", "64mb");
        configuration.setString("taskmanager.memory.network.max", "64mb");
        return configuration;
    }

    URI webUi() {
        return webUi;
    }

    Path workDir() {
        return workDir;
    }

    JobTap tap() {
        return tap;
    }

    CompletableFuture<JobResult> result(JobID job) {
        return cluster.requestJobResult(job);
    }

    /** The last completed checkpoint of a job, if it has one. */
    Optional<CompletedCheckpointStats> lastCheckpoint(JobID job) throws Exception {
        CheckpointStatsSnapshot stats =
                cluster.getExecutionGraph(job).get().getCheckpointStatsSnapshot();
        return stats == null
                ? Optional.empty()
                : Optional.ofNullable(stats.getHistory().getLatestCompletedCheckpoint());
    }

    /** Number of completed checkpoints of a job. */
    long checkpoints(JobID job) throws Exception {
        CheckpointStatsSnapshot stats =
                cluster.getExecutionGraph(job).get().getCheckpointStatsSnapshot();
        return stats == null ? 0 : stats.getCounts().getNumberOfCompletedCheckpoints();
    }

    @Override
    public void close() {
        cluster.closeAsync().join();
    }
}
