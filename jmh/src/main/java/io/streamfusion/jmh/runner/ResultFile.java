package io.streamfusion.jmh.runner;

import io.streamfusion.jmh.runner.BenchCase.Bars;
import io.streamfusion.jmh.runner.BenchCase.Effort;
import io.streamfusion.jmh.runner.BenchCase.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.SerializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The JSON file of one run. Written anew after every fork, so that an interrupted run keeps what it
 * has measured; {@code finished} is missing then.
 */
final class ResultFile {
    private static final int FORMAT = 1;

    private final ObjectMapper json = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private final Path file;
    private final ObjectNode root = json.createObjectNode();
    private final ArrayNode runs;
    private final ArrayNode failures;

    ResultFile(BenchArguments arguments, List<String> forkFlags)
            throws IOException, InterruptedException {
        file = arguments.result();
        root.put("format", FORMAT);
        root.put("suite", arguments.suite().command());
        root.put("started", Instant.now().toString());
        root.put("quick", arguments.preset() == Preset.QUICK);
        root.put("preset", arguments.preset().text());
        root.put("rounds", arguments.rounds());
        root.put("profiler", arguments.profiler());
        root.setAll(RunEnvironment.describe(json));
        root.set("jvmFlags", json.valueToTree(forkFlags));
        root.put("managedMib", arguments.managedMib());
        root.putObject("configuration");
        root.putArray("cases");
        runs = root.putArray("runs");
        failures = root.putArray("failures");
    }

    void configuration(String backend, Map<String, String> configuration) {
        ((ObjectNode) root.get("configuration")).set(backend, json.valueToTree(configuration));
    }

    void cases(List<BenchCase> cases) {
        ArrayNode array = (ArrayNode) root.get("cases");
        for (BenchCase one : cases) {
            ObjectNode node = array.addObject();
            node.put("id", one.id());
            node.put("group", one.group());
            node.put("title", one.title());
            node.put("benchmark", one.benchmark());
            node.set("parameters", json.valueToTree(one.parameters()));
            Effort effort = one.effort();
            node.put("warmups", effort.warmups());
            node.put("iterations", effort.iterations());
            node.put("secondsPerIteration", effort.seconds());
            if (one.managedMib() > 0) {
                node.put("managedMib", one.managedMib());
            }
            bars(node, one.bars());
        }
    }

    private void bars(ObjectNode node, Bars bars) {
        node.set("barsFor", json.valueToTree(bars.backends()));
        node.put("ratioOf", bars.ratioOf());
        node.set("minRatio", json.valueToTree(bars.ratios()));
        for (Limit limit : bars.limits()) {
            node.withObject("/" + limit.statistic().field()).put(limit.value(), limit.most());
        }
    }

    void run(
            String benchCase,
            String backend,
            int round,
            BenchFork.Measured measured,
            double load,
            double seconds)
            throws IOException {
        ObjectNode node = runs.addObject();
        node.put("case", benchCase);
        node.put("backend", backend);
        node.put("round", round);
        node.put("mode", measured.mode());
        node.put("unit", measured.unit());
        node.set("samples", json.valueToTree(measured.samples()));
        node.set("secondary", json.valueToTree(measured.secondary()));
        node.put("loadBefore", load);
        node.put("seconds", seconds);
        write();
    }

    void failure(String benchCase, String backend, int round, String message) throws IOException {
        ObjectNode node = failures.addObject();
        node.put("case", benchCase);
        node.put("backend", backend);
        node.put("round", round);
        node.put("message", message);
        write();
    }

    void finish() throws IOException {
        root.put("finished", Instant.now().toString());
        write();
    }

    private void write() throws IOException {
        Files.createDirectories(file.getParent());
        Path next = file.resolveSibling(file.getFileName() + ".next");
        json.writeValue(next.toFile(), root);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
