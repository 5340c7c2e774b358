package io.streamfusion.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * A standalone cluster of real processes, started with the scripts of a Flink home.
 *
 * <p>The scripts run in the foreground and {@code exec} the JVM, so that the process started here
 * <em>is</em> the JobManager or TaskManager, and killing it is {@code kill -9}. Nothing is written
 * outside the working directory. One thread uses it; another one may close it at any time, because
 * time is up or the JVM ends: from then on nothing is started.
 */
public final class FlinkCluster implements AutoCloseable {
    // Processes of a test live for seconds, on few cores: what they do not spend on compiling they
    // spend on the test.
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    // Performance data of a killed JVM would stay in the machine's folder of temporary files.
    private static final String JVM_OPTIONS = " -XX:-UsePerfData -Djava.io.tmpdir=";

    private static final String JOB_MANAGER = "jm";

    // The JobManager binds free ports and says which. A port that the test had looked up before
    // could be somebody else's by the time the process binds it.
    private static final String FREE_PORT = "0";
    private static final Pattern RPC_PORT =
            Pattern.compile("Actor system started at pekko\\.tcp://flink@[^:]+:([0-9]+)\\s");
    private static final Pattern REST_PORT =
            Pattern.compile("Rest endpoint listening at [^:]+:([0-9]+)\\s");

    private final Path home;
    private final Path javaHome;
    private final Path work;
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private final Thread killOnExit = new Thread(this::killAll, "kill-flink-processes");
    private final String jvmOptions;
    private RestClient rest;
    private int rpcPort;
    private int restPort;
    private int started;
    private boolean closed;

    /** Null: the home's own. */
    private Path lib;

    /** A cluster of processes that start quickly and do not reach full speed. */
    public FlinkCluster(Path home, Path javaHome, Path work, Map<String, String> configuration)
            throws IOException {
        this(home, javaHome, work, configuration, SHORT_LIVED);
    }

    /**
     * @param home Flink home; its configuration is the base of the cluster's own
     * @param javaHome JDK of every process
     * @param work directory for configuration, logs and temporary files
     * @param configuration options laid over those of the home, as a user would append them
     * @param jvmOptions of every process, separated by spaces; the scripts' own JVMs included
     */
    public FlinkCluster(
            Path home,
            Path javaHome,
            Path work,
            Map<String, String> configuration,
            String jvmOptions)
            throws IOException {
        this.jvmOptions = jvmOptions;
        this.home = home;
        this.javaHome = javaHome;
        this.work = work;
        for (String directory : List.of("conf", "log", "pid", "tmp", "upload")) {
            Files.createDirectories(work.resolve(directory));
        }
        Map<String, String> all = new TreeMap<>(configuration);
        all.put("env.java.home", javaHome.toString());
        all.put("rest.port", FREE_PORT);
        all.put("rest.bind-port", FREE_PORT);
        all.put("jobmanager.rpc.port", FREE_PORT);
        all.put("io.tmp.dirs", work.resolve("tmp").toString());
        all.put("web.upload.dir", work.resolve("upload").toString());
        writeConfiguration(all);
        Runtime.getRuntime().addShutdownHook(killOnExit);
    }

    /** Returns the port of the JobManager's REST interface and web UI. */
    public int restPort() {
        return restPort;
    }

    /** Processes started from now on do not have the jars of lib/ whose names begin like this. */
    public void leaveOut(String... beginnings) throws IOException {
        composeLib(List.of(), beginnings);
    }

    /**
     * As {@link #leaveOut}, and they have further jars, whose names have to be new.
     *
     * @param more linked to, not copied
     */
    public void composeLib(List<Path> more, String... beginnings) throws IOException {
        lib = Files.createDirectories(work.resolve("lib"));
        for (Path jar : more) {
            Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar.toAbsolutePath());
        }
        try (var jars = Files.list(home.resolve("lib"))) {
            for (Path jar : jars.toList()) {
                if (Stream.of(beginnings).noneMatch(jar.getFileName().toString()::startsWith)) {
                    Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
                }
            }
        }
    }

    /** Returns the way to the JobManager, once that takes requests. */
    public RestClient rest() {
        return rest;
    }

    /** Starts the JobManager and waits until it takes requests. */
    public void startJobManager() throws IOException {
        startServer(JOB_MANAGER, "jobmanager.sh", List.of());
        rpcPort = awaitPort(RPC_PORT);
        restPort = awaitPort(REST_PORT);
        rest = new RestClient(restPort);
        Await.that(
                "the JobManager takes requests",
                () -> {
                    requireAlive(JOB_MANAGER);
                    return rest.listens();
                });
    }

    private int awaitPort(Pattern line) {
        return Await.answer(
                () -> "the JobManager prints '" + line + "'",
                () -> {
                    requireAlive(JOB_MANAGER);
                    return portIn(line);
                });
    }

    private Optional<Integer> portIn(Pattern line) {
        try {
            Matcher port = line.matcher(Files.readString(output(JOB_MANAGER)));
            return port.find() ? Optional.of(Integer.valueOf(port.group(1))) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Starts a TaskManager of the JobManager that runs, without waiting for it.
     *
     * @return its resource id
     */
    public String startTaskManager(int slots) throws IOException {
        String id = "tm-" + ++started;
        startServer(
                id,
                "taskmanager.sh",
                List.of(
                        "-D",
                        "taskmanager.resource-id=" + id,
                        "-D",
                        "taskmanager.numberOfTaskSlots=" + slots,
                        "-D",
                        "jobmanager.rpc.port=" + rpcPort));
        return id;
    }

    /**
     * Runs one of Flink's scripts to its end and returns what it printed. It has the home's
     * configuration: in the cluster's own the SQL client would find ports that are not for it.
     */
    public String run(String script, List<String> arguments)
            throws IOException, InterruptedException {
        String id = script + "-" + ++started;
        Process process = start(id, script, arguments, home.resolve("conf"));
        if (!process.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new ClusterException("%s does not end; see %s".formatted(script, output(id)));
        }
        processes.remove(id);
        String printed = Files.readString(output(id));
        if (process.exitValue() != 0) {
            throw new ClusterException(
                    "%s ended with %d:\n%s".formatted(script, process.exitValue(), printed));
        }
        return printed;
    }

    /** Waits until exactly the TaskManagers whose processes live are registered. */
    public void awaitTaskManagers() {
        List<String> expected = taskManagers();
        Await.that(
                "TaskManagers " + expected + " are registered",
                () -> {
                    for (String id : expected) {
                        requireAlive(id);
                    }
                    JsonNode registered = rest.get("/taskmanagers").get("taskmanagers");
                    List<String> ids =
                            StreamSupport.stream(registered.spliterator(), false)
                                    .map(node -> node.get("id").asText())
                                    .sorted()
                                    .toList();
                    return ids.equals(expected.stream().sorted().toList());
                });
    }

    /** Returns the resource ids of the TaskManagers that were started and not killed. */
    public synchronized List<String> taskManagers() {
        return processes.keySet().stream().filter(id -> id.startsWith("tm-")).toList();
    }

    /** Kills a TaskManager with signal 9 and waits for the end of its process. */
    public synchronized void kill(String id) {
        requireAlive(id);
        kill(processes.remove(id));
    }

    /** Throws {@link ClusterException}, naming it and its log, when a process ended by itself. */
    public synchronized void requireAllAlive() {
        List.copyOf(processes.keySet()).forEach(this::requireAlive);
    }

    /** Returns the process id of a TaskManager that was started and not killed. */
    public synchronized long pid(String taskManager) {
        requireAlive(taskManager);
        return processes.get(taskManager).pid();
    }

    /** Kills every process with signal 9 and waits for their ends. */
    @Override
    public void close() {
        killAll();
        if (rest != null) {
            rest.close();
        }
        Runtime.getRuntime().removeShutdownHook(killOnExit);
    }

    private synchronized void killAll() {
        closed = true;
        processes.values().forEach(FlinkCluster::kill);
        processes.clear();
    }

    private static void kill(Process process) {
        // While a script still runs it has children, which would outlive it.
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
    }

    private synchronized void requireAlive(String id) {
        Process process = processes.get(id);
        if (process == null) {
            throw new IllegalStateException("No process " + id + ": the cluster has been closed");
        }
        if (!process.isAlive()) {
            throw new ClusterException(
                    "%s ended by itself with %d; see %s"
                            .formatted(id, process.exitValue(), output(id)));
        }
    }

    private Path output(String id) {
        return work.resolve("log").resolve(id + ".out");
    }

    private void startServer(String id, String script, List<String> arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("start-foreground"));
        all.addAll(arguments);
        start(id, script, all, work.resolve("conf"));
    }

    private synchronized Process start(
            String id, String script, List<String> arguments, Path configuration)
            throws IOException {
        if (closed) {
            throw new IllegalStateException("The cluster has been closed");
        }
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve(script).toString());
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(work.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output(id).toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("FLINK_"));
        environment.put("JAVA_HOME", javaHome.toString());
        environment.put("FLINK_CONF_DIR", configuration.toString());
        if (lib != null) {
            environment.put("FLINK_LIB_DIR", lib.toString());
        }
        environment.put("FLINK_LOG_DIR", work.resolve("log").toString());
        environment.put("FLINK_PID_DIR", work.resolve("pid").toString());
        environment.put("FLINK_IDENT_STRING", id);
        environment.put("JDK_JAVA_OPTIONS", jvmOptions + JVM_OPTIONS + work.resolve("tmp"));
        Process process = builder.start();
        processes.put(id, process);
        return process;
    }

    private void writeConfiguration(Map<String, String> configuration) throws IOException {
        Path conf = work.resolve("conf");
        try (var files = Files.list(home.resolve("conf"))) {
            for (Path file : files.toList()) {
                Files.copy(file, conf.resolve(file.getFileName()));
            }
        }
        Path file = conf.resolve("config.yaml");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        // A nested key of the home gives way to a later flat one; the same flat key twice is an
        // error.
        lines.removeIf(line -> configuration.containsKey(line.split(":", 2)[0]));
        configuration.forEach((key, value) -> lines.add(key + ": " + value));
        Files.write(file, lines);
    }
}
