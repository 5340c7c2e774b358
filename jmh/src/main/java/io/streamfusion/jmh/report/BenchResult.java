package io.streamfusion.jmh.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** Read access to one result file of {@code bin/bench-state} or {@code bin/bench-operators}. */
final class BenchResult {
    /** The backends of this project, whose ratios are reported. */
    static final List<String> OURS = List.of("streamfusion-memory", "streamfusion-paimon");

    /** Name of the primary score among the values of a run. */
    static final String TIME = "time";

    private static final int FORMAT = 1;

    private final JsonNode root;

    private BenchResult(JsonNode root) {
        this.root = root;
    }

    /**
     * Reads a file.
     *
     * @throws IOException when it cannot be read or is of another format
     */
    static BenchResult read(Path file) throws IOException {
        JsonNode root = new ObjectMapper().readTree(file.toFile());
        int format = root.path("format").asInt();
        if (format != FORMAT) {
            throw new IOException(
                    file + " has format " + format + ", this program reads " + FORMAT);
        }
        return new BenchResult(root);
    }

    /** The whole file. */
    JsonNode json() {
        return root;
    }

    /** The cases in order. */
    List<JsonNode> cases() {
        List<JsonNode> cases = new ArrayList<>();
        root.path("cases").forEach(cases::add);
        return cases;
    }

    /** Backends with at least one run, in the order of the first run of each. */
    List<String> backends() {
        return runs().stream()
                .map(run -> run.path("backend").asText())
                .distinct()
                .sorted()
                .toList();
    }

    /** Unit of the time of a case. */
    String unit(String benchCase) {
        return runs().stream()
                .filter(run -> run.path("case").asText().equals(benchCase))
                .map(run -> run.path("unit").asText())
                .findFirst()
                .orElse("");
    }

    /** All samples of a value of a case on a backend, over all rounds. */
    List<Double> samples(String benchCase, String backend, String value) {
        List<Double> all = new ArrayList<>();
        byRound(benchCase, backend, value).values().forEach(all::addAll);
        return all;
    }

    /** Names of the values of a case beside the time. */
    List<String> furtherValues(String benchCase) {
        TreeSet<String> names = new TreeSet<>();
        for (JsonNode run : runs()) {
            if (run.path("case").asText().equals(benchCase)) {
                run.path("secondary").fieldNames().forEachRemaining(names::add);
            }
        }
        return List.copyOf(names);
    }

    /** Whether a case has run on a backend. */
    boolean hasRun(String benchCase, String backend) {
        return !byRound(benchCase, backend, TIME).isEmpty();
    }

    /** A statistic of each round, and its spread over the rounds. */
    Optional<Spread> statistic(
            Statistic statistic, String benchCase, String backend, String value) {
        return Spread.of(
                byRound(benchCase, backend, value).values().stream().map(statistic::of).toList());
    }

    /** The samples of each round. */
    List<List<Double>> rounds(String benchCase, String backend, String value) {
        return List.copyOf(byRound(benchCase, backend, value).values());
    }

    /**
     * The ratio rival over ours, of medians, for each round that has both; empty when none has.
     *
     * @param value what is compared, for instance {@link #TIME}
     * @return median, least and greatest ratio
     */
    Optional<Spread> ratio(String benchCase, String ours, String rival, String value) {
        return ratioOf(byRound(benchCase, ours, value), byRound(benchCase, rival, value));
    }

    private static Optional<Spread> ratioOf(
            Map<Integer, List<Double>> ours, Map<Integer, List<Double>> theirs) {
        TreeSet<Integer> rounds = new TreeSet<>(ours.keySet());
        rounds.retainAll(theirs.keySet());
        return Spread.of(
                rounds.stream()
                        .map(
                                round ->
                                        Spread.median(theirs.get(round))
                                                / Spread.median(ours.get(round)))
                        .toList());
    }

    private Map<Integer, List<Double>> byRound(String benchCase, String backend, String value) {
        Map<Integer, List<Double>> rounds = new TreeMap<>();
        for (JsonNode run : runs()) {
            if (run.path("case").asText().equals(benchCase)
                    && run.path("backend").asText().equals(backend)) {
                JsonNode samples =
                        value.equals(TIME)
                                ? run.path("samples")
                                : run.path("secondary").path(value);
                for (JsonNode sample : samples) {
                    rounds.computeIfAbsent(run.path("round").asInt(), key -> new ArrayList<>())
                            .add(sample.asDouble());
                }
            }
        }
        return rounds;
    }

    private List<JsonNode> runs() {
        List<JsonNode> runs = new ArrayList<>();
        root.path("runs").forEach(runs::add);
        return runs;
    }
}
