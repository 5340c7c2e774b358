package io.streamfusion.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.cluster.FlinkCluster;
import io.streamfusion.cluster.FlinkJob;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Exactly once on a real cluster: a JobManager and two TaskManagers as processes, TaskManagers
 * killed with signal 9 at random instants, savepoints in both formats, and restores at parallelism
 * 2, 4 and 1. At the end the committed output is the multiset computed from the input: nothing
 * lost, nothing doubled.
 *
 * <p>{@code -Dsf.e2e.seed=N} repeats the choices of a run, {@code -Dsf.e2e.backend=NAME} runs the
 * first test on another state backend.
 */
class ClusterKillITCase {
    private static final Map<String, String> BACKENDS =
            Map.of(
                    "streamfusion-memory", "streamfusion-memory",
                    "streamfusion-paimon", "streamfusion-paimon",
                    "rocksdb", "EmbeddedRocksDBStateBackend",
                    "hashmap", "HashMapStateBackend");
    private static final int PARTITIONS = 4;
    private static final long RATE = 250;
    private static final long SPARE_SECONDS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 1_500;

    @RegisterExtension final Workspace workspace = new Workspace();

    private final long seed = Long.getLong("sf.e2e.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final long begunAt = System.nanoTime();
    private Course course;
    private FlinkCluster cluster;
    private Path output;
    private Path endFile;
    private String jar;
    private int kills;

    /**
     * What one test does.
     *
     * @param managedMemory of each TaskManager
     * @param ballast length of the text that each key keeps besides
     * @param kills one after the other: before and after the first savepoint, at parallelism 4 and
     *     at parallelism 1; one more comes during a savepoint
     */
    private record Course(String backend, String managedMemory, int ballast, List<Integer> kills) {
        private int allKills() {
            return kills.stream().mapToInt(Integer::intValue).sum() + 1;
        }
    }

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void nothingIsLostOrDoubledWhileTaskManagersDie() throws Exception {
        String backend = System.getProperty("sf.e2e.backend", "streamfusion-memory");
        run(new Course(backend, "64m", 0, List.of(2, 2, 2, 3)), cluster -> {});
    }

    /** With no more in lib/ than the backend needs: Paimon's jar, and none of Hadoop's. */
    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void norOnPaimonTables() throws Exception {
        run(
                new Course("streamfusion-paimon", "12m", 8_000, List.of(1, 0, 1, 1)),
                cluster -> cluster.leaveOut("hadoop-"));
    }

    private interface Preparation {
        void prepare(FlinkCluster cluster) throws IOException;
    }

    private void run(Course wanted, Preparation preparation) throws Exception {
        course = wanted;
        boolean onPaimon = course.backend().equals("streamfusion-paimon");
        System.out.println("Repeat this run with -Dsf.e2e.seed=" + seed);
        output = workspace.directory("output");
        endFile = workspace.root().resolve("end");
        cluster =
                workspace.closeAfterTest(
                        new FlinkCluster(
                                onPaimon ? FlinkHome.withPaimon() : FlinkHome.get(),
                                Path.of(System.getProperty("java.home")),
                                workspace.root(),
                                configuration()));
        preparation.prepare(cluster);
        cluster.startJobManager();
        startTaskManagers(1);
        jar = cluster.rest().upload(FlinkHome.userJar());
        long startedAt = System.nanoTime();

        FlinkJob job = submit(2, null, null);
        disturb(job, course.kills().get(0), 1);
        awaitNewCheckpoint(job);
        String aside = job.savepoint(job.triggerSavepoint("CANONICAL", savepoints()));
        assertThat(Path.of(URI.create(aside))).isNotEmptyDirectory();
        disturb(job, course.kills().get(1), 1);
        String savepoint = stop(job, "NATIVE");

        cluster.taskManagers().forEach(cluster::kill);
        startTaskManagers(2);
        job = submit(4, savepoint, "NO_CLAIM");
        disturb(job, course.kills().get(2), 2);
        killDuringSavepoint(job);
        savepoint = stop(job, "CANONICAL");

        job = submit(1, savepoint, "CLAIM");
        disturb(job, course.kills().get(3), 2);
        if (course.ballast() > 0) {
            FlinkJob last = job;
            last.await("state is in files", () -> last.metric("spilledBytes") > 0);
        }

        long end = endAfter(System.nanoTime() - startedAt);
        finish(job, end);
        compare(end);
    }

    private Map<String, String> configuration() throws IOException {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("state.backend.type", course.backend());
        options.put(
                "execution.checkpointing.dir",
                workspace.directory("checkpoints").toUri().toString());
        options.put("execution.checkpointing.interval", "500 ms");
        options.put("execution.checkpointing.mode", "EXACTLY_ONCE");
        options.put("execution.checkpointing.incremental", "true");
        // So long that nothing ends for being slow on a busy machine. What was killed is noticed
        // at once all the same, by heartbeats that do not reach it.
        options.put("execution.checkpointing.timeout", "1 min");
        options.put("heartbeat.timeout", "1 min");
        options.put("pekko.ask.timeout", "1 min");
        options.put("execution.checkpointing.tolerable-failed-checkpoints", "1000000");
        options.put("execution.checkpointing.local-backup.enabled", "true");
        options.put("execution.state-recovery.from-local", "true");
        options.put("restart-strategy.type", "fixed-delay");
        options.put("restart-strategy.fixed-delay.attempts", "1000000");
        options.put("restart-strategy.fixed-delay.delay", "200 ms");
        options.put("heartbeat.interval", "500 ms");
        options.put("taskmanager.load-balance.mode", "SLOTS");
        options.put("jobmanager.memory.process.size", "1100m");
        options.put("taskmanager.memory.process.size", "1000m");
        options.put("taskmanager.memory.jvm-metaspace.size", "160m");
        options.put("taskmanager.memory.managed.size", course.managedMemory());
        options.put("taskmanager.memory.network.max", "64m");
        options.put("metrics.fetcher.update-interval", "1 s");
        return options;
    }

    private void startTaskManagers(int slots) throws IOException {
        cluster.startTaskManager(slots);
        cluster.startTaskManager(slots);
    }

    private FlinkJob submit(int parallelism, String savepoint, String claimMode) {
        // With one of them only, all subtasks would share it.
        cluster.awaitTaskManagers();
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("parallelism", parallelism);
        request.put(
                "programArgsList",
                List.of(
                        "--partitions",
                        Integer.toString(PARTITIONS),
                        "--rate",
                        Long.toString(RATE),
                        "--end-file",
                        endFile.toString(),
                        "--ballast",
                        Integer.toString(course.ballast()),
                        "--output",
                        output.toUri().toString()));
        if (savepoint != null) {
            request.put("savepointPath", savepoint);
            request.put("claimMode", claimMode);
        }
        String id = cluster.rest().post("/jars/" + jar + "/run", request).get("jobid").asText();
        say("submitted at parallelism " + parallelism + " from " + savepoint);
        FlinkJob job = new FlinkJob(cluster.rest(), id);
        assertThat(job.stateBackend()).isEqualTo(BACKENDS.get(course.backend()));
        return job;
    }

    /** Kills TaskManagers, each at a random instant after the job runs again. */
    private void disturb(FlinkJob job, int times, int slots) throws IOException {
        for (int i = 0; i < times; i++) {
            SortedSet<String> hosts = awaitRunning(job);
            // One of three comes before the job has made a checkpoint of its own since it
            // restarted.
            if (random.nextInt(3) > 0) {
                awaitNewCheckpoint(job);
            }
            // Not a wait for anything: the random instant within the checkpoint's cycle.
            LockSupport.parkNanos(
                    TimeUnit.MILLISECONDS.toNanos(random.nextLong(LONGEST_PAUSE_MILLIS)));
            killOneOf(hosts, slots);
        }
        awaitRunning(job);
    }

    /** A savepoint loses a TaskManager on the way: it may fail or succeed, and does no harm. */
    private void killDuringSavepoint(FlinkJob job) throws IOException {
        SortedSet<String> hosts = awaitRunning(job);
        String trigger = job.triggerSavepoint("CANONICAL", savepoints());
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextLong(100)));
        killOneOf(hosts, 2);
        Optional<String> location = job.savepointIfAny(trigger);
        say("a savepoint under way when its TaskManager died: " + location.orElse("failed"));
        awaitRunning(job);
    }

    private void killOneOf(SortedSet<String> hosts, int slots) throws IOException {
        String victim = List.copyOf(hosts).get(random.nextInt(hosts.size()));
        cluster.kill(victim);
        kills++;
        say("kill " + kills + ": " + victim + " of " + hosts);
        cluster.startTaskManager(slots);
    }

    /** Waits until every subtask runs on a TaskManager that is alive; returns these. */
    private SortedSet<String> awaitRunning(FlinkJob job) {
        cluster.awaitTaskManagers();
        SortedSet<String> hosts = new TreeSet<>();
        job.await(
                "the job runs",
                () -> {
                    hosts.clear();
                    hosts.addAll(job.hosts());
                    return !hosts.isEmpty() && cluster.taskManagers().containsAll(hosts);
                });
        return hosts;
    }

    private void awaitNewCheckpoint(FlinkJob job) {
        int before = job.completedCheckpoints();
        job.await("a new checkpoint", () -> job.completedCheckpoints() > before);
    }

    private String stop(FlinkJob job, String format) throws IOException {
        awaitNewCheckpoint(job);
        String savepoint = job.savepoint(job.triggerStop(format, savepoints()));
        job.await("the job has stopped", () -> job.state().equals("FINISHED"));
        requireNoFailureOfOurs(job);
        assertThat(CommittedOutput.read(output).doubled())
                .as("lines committed twice, up to the %s savepoint (seed %d)", format, seed)
                .isEmpty();
        say("stopped with a savepoint, " + format);
        return savepoint;
    }

    /** No partition can be further than its rate allows for the time since the first submission. */
    private static long endAfter(long nanos) {
        return (TimeUnit.NANOSECONDS.toSeconds(nanos) + SPARE_SECONDS) * RATE;
    }

    private void finish(FlinkJob job, long end) throws IOException {
        Path written = Files.writeString(workspace.root().resolve("end.new"), Long.toString(end));
        Files.move(written, endFile, StandardCopyOption.ATOMIC_MOVE);
        job.await("the job has finished", () -> job.state().equals("FINISHED"));
        requireNoFailureOfOurs(job);
        say("finished after " + end + " records in each partition");
    }

    /** A restart may be due to a killed process; one due to us would hide behind the others. */
    private static void requireNoFailureOfOurs(FlinkJob job) {
        assertThat(job.failures())
                .isNotEmpty()
                .noneMatch(trace -> trace.contains("io.streamfusion."));
    }

    private void compare(long end) throws IOException {
        CommittedOutput committed = CommittedOutput.read(output);
        assertThat(committed.differences(ExpectedOutput.of(PARTITIONS, end)))
                .as("committed output against expected output (seed %d)", seed)
                .isEmpty();
        assertThat(kills).isEqualTo(course.allKills());
        assertThat(committed.count(Lines.ttl(true))).as("reads of live TTL state").isPositive();
        assertThat(committed.count(Lines.ttl(false))).as("reads of expired TTL state").isPositive();
    }

    private String savepoints() throws IOException {
        return workspace.directory("savepoints").toUri().toString();
    }

    private void say(String what) {
        System.out.printf("%6.1f s  %s%n", (System.nanoTime() - begunAt) / 1e9, what);
    }
}
