package io.streamfusion.e2e;

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
 * the test has timed out or the JVM ends: from then on nothing is started.
 */
final class FlinkCluster implements AutoCloseable {
    // For the JVMs of the scripts too. They live for seconds, on few cores: what they do not spend
    // on
    // compiling they spend on the test. Performance data of a killed JVM would stay in the
    // machine's
    // folder of temporary files.
    private static final String JVM_OPTIONS =
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Djava.io.tmpdir=";

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
    private RestClient rest;
    private int rpcPort;
    private int restPort;
    private int started;
    private boolean closed;

    /** Null: the home's own. */
    private Path lib;

    /**
     * @param home Flink home; its configuration is the base of the cluster's own
     * @param javaHome JDK of every process
     * @param work directory for configuration, logs and temporary files
     * @param configuration options laid over those of the home, as a user would append them
     */
    FlinkCluster(Path home, Path javaHome, Path work, Map<String, String> configuration)
            throws IOException {
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

    int restPort() {
        return restPort;
    }

    /** Processes started from now on do not have the jars of lib/ whose names begin like this. */
    void leaveOut(String... beginnings) throws IOException {
        lib = Files.createDirectories(work.resolve("lib"));
        try (var jars = Files.list(home.resolve("lib"))) {
            for (Path jar : jars.toList()) {
                if (Stream.of(beginnings).noneMatch(jar.getFileName().toString()::startsWith)) {
                    Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
                }
            }
        }
    }

    RestClient rest() {
        return rest;
    }

    /** Starts the JobManager and waits until it takes requests. */
    void startJobManager() throws IOException {
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
    String startTaskManager(int slots) throws IOException {
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
    String run(String script, List<String> arguments) throws IOException, InterruptedException {
        String id = script + "-" + ++started;
        Process process = start(id, script, arguments, home.resolve("conf"));
        if (!process.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("%s does not end; see %s".formatted(script, output(id)));
        }
        processes.remove(id);
        String printed = Files.readString(output(id));
        if (process.exitValue() != 0) {
            throw new AssertionError(
                    "%s ended with %d:\n%s".formatted(script, process.exitValue(), printed));
        }
        return printed;
    }

    /** Waits until exactly the TaskManagers whose processes live are registered. */
    void awaitTaskManagers() {
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
    synchronized List<String> taskManagers() {
        return processes.keySet().stream().filter(id -> id.startsWith("tm-")).toList();
    }

    /** Kills a TaskManager with signal 9 and waits for the end of its process. */
    synchronized void kill(String id) {
        requireAlive(id);
        kill(processes.remove(id));
    }

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
            throw new AssertionError(
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
        environment.put("JDK_JAVA_OPTIONS", JVM_OPTIONS + work.resolve("tmp"));
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
