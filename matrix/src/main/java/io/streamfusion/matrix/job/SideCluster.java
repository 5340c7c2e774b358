package io.streamfusion.matrix.job;

import io.streamfusion.cluster.Await;
import io.streamfusion.cluster.FlinkCluster;
import io.streamfusion.cluster.FlinkJob;
import io.streamfusion.matrix.MatrixException;
import io.streamfusion.matrix.verify.SinkSchema;
import io.streamfusion.nexmark.query.NexmarkQuery;
import io.streamfusion.sql.plan.SqlOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * A Flink cluster of processes with one state backend, on which queries run one after another. Used
 * by one thread; another one may close it.
 */
public final class SideCluster implements AutoCloseable {
    private static final Duration LONGEST_JOB = Duration.ofHours(6);
    private static final Set<String> ENDED = Set.of("FINISHED", "FAILED", "CANCELED");

    /** What stock Flink has not: our jars, and what only our backends need. */
    private static final String[] NOT_STOCK = {
        "00-streamfusion-", "streamfusion-", "paimon-", "hadoop-"
    };

    /** What REST calls the backends. */
    private static final Map<String, String> CLASSES =
            Map.of(
                    "hashmap", "HashMapStateBackend",
                    "rocksdb", "EmbeddedRocksDBStateBackend",
                    "streamfusion-memory", "streamfusion-memory",
                    "streamfusion-paimon", "streamfusion-paimon");

    private final String backend;
    private final boolean nativeSql;
    private final ClusterSettings settings;
    private final FlinkCluster cluster;

    /** Called while a job is waited for; an exception ends the wait. */
    public interface Watch {
        /** Throws what makes it senseless to wait on. */
        void check();
    }

    /**
     * Writes the cluster's configuration; {@link #start} starts it.
     *
     * @param flink where homes and jars are
     * @param backend value of {@code state.backend.type}
     * @param nativeSql whether queries are planned with native operators where they can be
     * @param work a folder of its own, for configuration, logs, state and checkpoints
     */
    public SideCluster(
            FlinkBuild flink,
            String backend,
            boolean nativeSql,
            ClusterSettings settings,
            Path work)
            throws IOException {
        this.backend = backend;
        this.nativeSql = nativeSql;
        this.settings = settings;
        Path checkpoints = Files.createDirectories(work.resolve("checkpoints"));
        cluster =
                new FlinkCluster(
                        flink.home(),
                        Path.of(System.getProperty("java.home")),
                        work,
                        settings.configuration(backend, checkpoints),
                        settings.jvmOptions());
        boolean ours = backend.startsWith("streamfusion-");
        cluster.composeLib(flink.jarsOfJobs(), ours ? new String[0] : NOT_STOCK);
    }

    /** Starts the JobManager and waits until it takes requests. */
    public void start() throws IOException {
        cluster.startJobManager();
    }

    /** Starts TaskManagers in place of those that there are. */
    public void renewTaskManagers() throws IOException {
        cluster.taskManagers().forEach(cluster::kill);
        for (int i = 0; i < settings.taskManagers(); i++) {
            cluster.startTaskManager(settings.slots());
        }
    }

    /** Waits until exactly the TaskManagers that live are registered. */
    public void awaitTaskManagers() {
        cluster.awaitTaskManagers();
    }

    /** Value of {@code state.backend.type}. */
    public String backend() {
        return backend;
    }

    /**
     * A query on its way.
     *
     * @param submittedAt milliseconds since the epoch, from before the submission
     * @param processes ids of the TaskManagers' processes
     */
    public record RunningQuery(
            FlinkJob job,
            String name,
            long submittedAt,
            List<Long> processes,
            String plan,
            SinkSchema schema) {}

    /**
     * Submits a query and returns as soon as the JobManager has it.
     *
     * @param name of the job in the web UI and logs
     * @param tables values of the placeholders of {@link NexmarkQuery}
     */
    public RunningQuery submit(
            NexmarkQuery query, String name, JobSettings job, Map<String, String> tables)
            throws IOException {
        QueryJob planned =
                new QueryJob(
                        query,
                        job.configuration(cluster.restPort(), name)
                                .set(StateBackendOptions.STATE_BACKEND, backend)
                                .set(SqlOptions.ENABLED, nativeSql),
                        nativeSql,
                        tables);
        String plan = planned.plan();
        SinkSchema schema = planned.schema();
        List<Long> processes = cluster.taskManagers().stream().map(cluster::pid).toList();
        for (long process : processes) {
            PeakMemory.reset(process);
        }
        // The JobManager's clock is this one.
        long submittedAt = System.currentTimeMillis();
        FlinkJob submitted = new FlinkJob(cluster.rest(), planned.submit());
        return new RunningQuery(submitted, name, submittedAt, processes, plan, schema);
    }

    /**
     * Waits for the end of a query.
     *
     * @param watch called a few times a second
     * @throws MatrixException when the job fails, or has not run on the backend of this cluster
     */
    public JobOutcome await(RunningQuery query, Watch watch) throws IOException {
        FlinkJob job = query.job();
        String state =
                Await.answer(
                        LONGEST_JOB,
                        () -> query.name() + " ends",
                        () -> {
                            watch.check();
                            cluster.requireAllAlive();
                            return Optional.of(job.state()).filter(ENDED::contains);
                        });
        if (!state.equals("FINISHED")) {
            throw new MatrixException(
                    "%s is %s: %s".formatted(query.name(), state, firstLine(job.failures())));
        }
        if (!job.stateBackend().equals(CLASSES.get(backend))) {
            throw new MatrixException(
                    "%s has run on %s".formatted(query.name(), job.stateBackend()));
        }
        JsonNode times = cluster.rest().get("/jobs/" + job.id()).get("timestamps");
        return new JobOutcome(
                job.id(),
                times.get("FINISHED").asLong() - query.submittedAt(),
                CheckpointTotals.of(cluster.rest().get("/jobs/" + job.id() + "/checkpoints")),
                peak(query.processes()),
                job.subtaskHosts().size(),
                query.plan(),
                query.schema());
    }

    private static OptionalLong peak(List<Long> processes) throws IOException {
        long sum = 0;
        for (long process : processes) {
            OptionalLong peak = PeakMemory.of(process);
            if (peak.isEmpty()) {
                return OptionalLong.empty();
            }
            sum += peak.getAsLong();
        }
        return OptionalLong.of(sum);
    }

    /** The innermost cause, which is what the user can do something about. */
    private static String firstLine(List<String> failures) {
        return failures.stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith("Caused by: "))
                .reduce((outer, inner) -> inner)
                .or(() -> failures.stream().flatMap(String::lines).findFirst())
                .orElse("no reason is known");
    }

    @Override
    public void close() {
        cluster.close();
    }
}
