package io.streamfusion.matrix;

import io.streamfusion.matrix.job.FlinkBuild;
import io.streamfusion.matrix.kafka.CorpusLoader;
import io.streamfusion.matrix.kafka.KafkaBroker;
import io.streamfusion.matrix.kafka.Topics;
import io.streamfusion.matrix.result.ResultFile;
import io.streamfusion.matrix.result.RunDescription;
import io.streamfusion.matrix.result.SampleFile;
import io.streamfusion.nexmark.query.NexmarkQuery;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code bin/bench-matrix}: Nexmark from Kafka to Kafka on pairs of clusters, outputs compared,
 * every sample kept.
 */
public final class MatrixMain {
    private static final Logger LOG = LoggerFactory.getLogger(MatrixMain.class);
    private static final String SAMPLES = "samples.jsonl";

    // Broker and clusters hold an event some five times at most, and start with segments of files.
    private static final long BYTES_AN_EVENT = 4_000;
    private static final long BYTES_TO_START = 2L << 30;

    private static final int ALL_RIGHT = 0;
    private static final int SOMETHING_WRONG = 1;
    private static final int BAD_USAGE = 2;

    private MatrixMain() {}

    /**
     * Exit codes: 0 all outputs were the same, 1 something differed or failed, 2 the command line
     * is wrong.
     */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.contains("--help")) {
            out.print(MatrixOptions.USAGE);
            return ALL_RIGHT;
        }
        MatrixOptions options;
        try {
            options = MatrixOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            err.println("bench-matrix: " + e.getMessage() + " (--help lists the options)");
            return BAD_USAGE;
        }
        try {
            return run(options, out);
        } catch (RuntimeException | IOException e) {
            LOG.error("The run ends", e);
            String message = e instanceof MatrixException ? e.getMessage() : e.toString();
            err.println("bench-matrix: " + message.lines().findFirst().orElse(message));
            return SOMETHING_WRONG;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return SOMETHING_WRONG;
        }
    }

    private static int run(MatrixOptions options, PrintStream out)
            throws IOException, InterruptedException {
        Path work = Files.createDirectories(options.work());
        requireRoom(work, options);
        ObjectNode description = RunDescription.of(configuration(options));
        Path folder = options.resume() ? lastRun(work) : work.resolve("runs").resolve(nameOfNow());
        int faults;
        try (SampleFile samples =
                options.resume()
                        ? SampleFile.resume(folder.resolve(SAMPLES), description)
                        : SampleFile.create(folder.resolve(SAMPLES), description)) {
            out.println("samples: " + folder.resolve(SAMPLES));
            faults = measure(options, samples, folder, out);
            Path result = folder.resolve(folder.getFileName() + "-matrix.json");
            ResultFile.write(samples, result);
            out.println("result: " + result);
        }
        String right =
                options.kafkaSink()
                        ? "all outputs are right"
                        : "no job failed; outputs were not compared";
        out.println(faults == 0 ? right : faults + " WRONG OR FAILED");
        return faults == 0 ? ALL_RIGHT : SOMETHING_WRONG;
    }

    private static int measure(
            MatrixOptions options, SampleFile samples, Path folder, PrintStream out)
            throws IOException, InterruptedException {
        FlinkBuild build =
                new FlinkBuild(
                        Path.of(System.getProperty("sf.root", "")).toAbsolutePath(),
                        options.work().resolve("flink-home"));
        try (KafkaBroker broker =
                        KafkaBroker.start(
                                options.work().resolve("kafka"),
                                Path.of(System.getProperty("java.home")),
                                build.brokerClassPath(),
                                options.kafkaPort());
                Topics topics = new Topics(broker)) {
            // Left by a run that was interrupted.
            topics.delete(topics.names().stream().filter(name -> name.startsWith("out-")).toList());
            build.assembleHome();
            long start = System.nanoTime();
            boolean written = new CorpusLoader(broker, topics).load(options.corpus());
            out.printf(
                    Locale.ROOT,
                    "%,d events %s%n",
                    options.corpus().events(),
                    written
                            ? "written in %.1f s".formatted((System.nanoTime() - start) / 1e9)
                            : "are there already");
            return new Matrix(options, build, broker, topics, samples, folder, out).run();
        }
    }

    private static void requireRoom(Path work, MatrixOptions options) throws IOException {
        FileStore store = Files.getFileStore(work);
        long needed = BYTES_TO_START + options.corpus().events() * BYTES_AN_EVENT;
        if (store.getUsableSpace() < needed) {
            throw new MatrixException(
                    "the disk of %s has %,d MB left; this run may need %,d MB"
                            .formatted(work, store.getUsableSpace() >> 20, needed >> 20));
        }
    }

    private static String nameOfNow() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString().replace(":", "");
    }

    private static Path lastRun(Path work) throws IOException {
        Path runs = work.resolve("runs");
        if (Files.isDirectory(runs)) {
            try (Stream<Path> folders = Files.list(runs)) {
                return folders.filter(folder -> Files.exists(folder.resolve(SAMPLES)))
                        .max(Comparator.naturalOrder())
                        .orElseThrow(() -> nothingToResume(work));
            }
        }
        throw nothingToResume(work);
    }

    private static MatrixException nothingToResume(Path work) {
        return new MatrixException("there is no run in " + work + " to go on with");
    }

    /** All that decides what is measured. */
    private static ObjectNode configuration(MatrixOptions options) {
        ObjectMapper json = new ObjectMapper();
        ObjectNode configuration = json.createObjectNode();
        configuration.set(
                "queries",
                json.valueToTree(options.queries().stream().map(NexmarkQuery::name).toList()));
        configuration.set(
                "cells", json.valueToTree(options.cells().stream().map(Cell::toString).toList()));
        configuration.put("events", options.corpus().events());
        configuration.put("partitions", options.corpus().partitions());
        configuration.put("topic", options.corpus().topic());
        configuration.put("seed", options.corpus().settings().seed());
        configuration.put("rate", options.corpus().settings().eventsPerSecond());
        configuration.put("shuffle", options.corpus().settings().shuffle());
        configuration.put("dataSet", options.dataSet().orElse(""));
        configuration.put("warmup", options.warmup());
        configuration.put("runs", options.runs());
        configuration.put("parallelism", options.parallelism());
        configuration.put("sink", options.kafkaSink() ? "kafka" : "blackhole");
        configuration.put("checkpointInterval", "1 s");
        configuration.put("unaligned", options.unaligned());
        configuration.put("operators", options.nativeSql() ? "native" : "stock");
        configuration.put("taskManagers", options.cluster().taskManagers());
        configuration.put("slots", options.cluster().slots());
        configuration.put("taskManagerMemory", options.cluster().taskManagerMemory());
        configuration.put("managedMemory", options.cluster().managedMemory());
        return configuration;
    }
}
