package io.streamfusion.matrix.kafka;

import io.streamfusion.cluster.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.Uuid;

/**
 * Kafka as a process of its own: one node, broker and controller in one (KRaft), reachable on this
 * machine only. What topics hold stays in its folder and is there again when it is started there
 * again.
 *
 * <p>One thread starts and closes it; any thread may ask whether it lives. It ends with this JVM.
 */
public final class KafkaBroker implements AutoCloseable {
    private static final String HOST = "localhost";
    private static final String HEAP = "768m";

    // Log lines are complete by the time that the process ends, however it ends.
    private static final String LOG_SETTINGS =
            """
            rootLogger.level = INFO
            rootLogger.appenderRef.out.ref = Out
            appender.out.type = Console
            appender.out.name = Out
            appender.out.layout.type = PatternLayout
            appender.out.layout.pattern = [%d] %p %m (%c)%n
            """;

    private final Path folder;
    private final Path javaHome;
    private final String classPath;
    private final int port;
    private final Thread killOnExit = new Thread(this::kill, "kill-kafka");
    private Process process;
    private boolean closed;

    private KafkaBroker(Path folder, Path javaHome, Path classPathFile, OptionalInt wanted)
            throws IOException {
        this.folder = Files.createDirectories(folder);
        this.javaHome = javaHome;
        this.classPath = Files.readString(classPathFile).strip();
        this.port = wanted.isPresent() ? requireFree(wanted.getAsInt()) : freePort();
    }

    /**
     * Starts a broker and waits until it answers.
     *
     * @param folder its settings, log and data; made when it is not there
     * @param classPathFile holds the class path of the broker, as the module kafka-broker writes it
     * @param port to listen at; empty for a free one
     * @throws BrokerException when the port is in use or the broker ends while it starts
     */
    public static KafkaBroker start(
            Path folder, Path javaHome, Path classPathFile, OptionalInt port) throws IOException {
        KafkaBroker broker = new KafkaBroker(folder, javaHome, classPathFile, port);
        boolean started = false;
        try {
            Runtime.getRuntime().addShutdownHook(broker.killOnExit);
            broker.start();
            started = true;
            return broker;
        } finally {
            if (!started) {
                broker.close();
            }
        }
    }

    /** Returns what clients need as {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return HOST + ":" + port;
    }

    /** Throws {@link BrokerException} that says how the broker ended, when it did. */
    public synchronized void requireAlive() {
        if (!closed && process != null && !process.isAlive()) {
            throw new BrokerException(
                    "the Kafka broker ended by itself with %d%s; its log is %s"
                            .formatted(process.exitValue(), reason(), log()));
        }
    }

    /** Returns the process id. */
    public synchronized long pid() {
        return process.pid();
    }

    private void start() throws IOException {
        int controllerPort = freePort();
        Files.writeString(folder.resolve("log4j2.properties"), LOG_SETTINGS);
        Files.write(settings(), settings(controllerPort));
        if (!Files.exists(data().resolve("meta.properties"))) {
            format();
        }
        launch(List.of("kafka.Kafka", settings().toString()));
        try (Admin admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                bootstrapServers(),
                                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                                "1000"))) {
            Await.answer(
                    () -> "the Kafka broker answers; see " + log(),
                    () -> {
                        requireAlive();
                        return answers(admin) ? Optional.of(true) : Optional.empty();
                    });
        }
    }

    private static boolean answers(Admin admin) {
        try {
            return admin.describeCluster().nodes().get(2, TimeUnit.SECONDS).size() == 1;
        } catch (ExecutionException | TimeoutException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Kafka starts", e);
        }
    }

    private List<String> settings(int controllerPort) {
        return List.of(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@" + HOST + ":" + controllerPort,
                "listeners=PLAINTEXT://"
                        + HOST
                        + ":"
                        + port
                        + ",CONTROLLER://"
                        + HOST
                        + ":"
                        + controllerPort,
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "inter.broker.listener.name=PLAINTEXT",
                "controller.listener.names=CONTROLLER",
                "log.dirs=" + data(),
                "auto.create.topics.enable=false",
                // One node.
                "offsets.topic.replication.factor=1",
                "offsets.topic.num.partitions=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                "transaction.state.log.num.partitions=4",
                // Flink asks for an hour.
                "transaction.max.timeout.ms=7200000",
                // Events carry times of their own; nothing is deleted but whole topics, at once.
                "log.retention.ms=-1",
                "log.segment.delete.delay.ms=100");
    }

    private void format() throws IOException {
        launch(
                List.of(
                        "kafka.tools.StorageTool",
                        "format",
                        "--cluster-id",
                        Uuid.randomUuid().toString(),
                        "--config",
                        settings().toString()));
        Process formatting = process;
        int code = formatting.onExit().join().exitValue();
        if (code != 0) {
            throw new BrokerException(
                    "Kafka cannot use %s%s; see %s".formatted(data(), reason(), log()));
        }
    }

    private synchronized void launch(List<String> arguments) throws IOException {
        if (closed) {
            throw new IllegalStateException("The broker has been closed");
        }
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin/java").toString());
        command.addAll(
                List.of(
                        "-Xms" + HEAP,
                        "-Xmx" + HEAP,
                        "-XX:-UsePerfData",
                        "-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")),
                        "-Dlog4j2.configurationFile=" + folder.resolve("log4j2.properties")));
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log().toFile());
        // Not an argument, so that the process can be told by its command line.
        builder.environment().put("CLASSPATH", classPath);
        builder.environment().remove("JDK_JAVA_OPTIONS");
        process = builder.start();
    }

    private Path settings() {
        return folder.resolve("server.properties");
    }

    private Path data() {
        return folder.resolve("data");
    }

    private Path log() {
        return folder.resolve("broker.log");
    }

    /** What the log says that a user can do something about; nothing otherwise. */
    private String reason() {
        try (Stream<String> lines = Files.lines(log(), StandardCharsets.UTF_8)) {
            return lines.filter(
                            line ->
                                    line.contains("No space left on device")
                                            || line.contains("Address already in use"))
                    .findFirst()
                    .map(
                            line ->
                                    line.contains("No space")
                                            ? ": the disk of " + data() + " is full"
                                            : ": a port is in use (" + port + " or its other one)")
                    .orElse("");
        } catch (IOException | UncheckedIOException e) {
            return "";
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }

    private static int requireFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(HOST, port));
            return port;
        } catch (java.net.BindException e) {
            throw new BrokerException("port " + port + " is in use; name another one for Kafka");
        }
    }

    /** Kills the process, which has nothing to save: an interrupted topic is made anew. */
    private synchronized void kill() {
        closed = true;
        if (process != null) {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    /** Stops the broker in order, so that it starts quickly the next time; waits for its end. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (process != null) {
                process.destroy();
            }
        }
        try {
            if (process != null && !process.waitFor(30, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(killOnExit);
    }
}
