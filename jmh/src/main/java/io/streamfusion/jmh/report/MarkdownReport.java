package io.streamfusion.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** One result file as Markdown: bars, all backends, what was measured on. */
final class MarkdownReport {
    /** So many that their course is worth a look. */
    private static final int MANY_SAMPLES = 20;

    private final BenchResult result;
    private final String name;
    private final StringBuilder text = new StringBuilder();

    /**
     * A report.
     *
     * @param name of the result file without its ending; the plots beside the report begin with it
     */
    MarkdownReport(BenchResult result, String name) {
        this.result = result;
        this.name = name;
    }

    /** The whole page. */
    String write(List<String> plots) {
        JsonNode json = result.json();
        boolean operators = json.path("suite").asText().equals("bench-operators");
        line(
                (operators ? "# Operator benchmarks, " : "# State benchmarks, ")
                        + json.path("started").asText());
        line("");
        line("Written by `bin/bench-report` from `" + name + ".json`, which holds every sample.");
        warnings(json);
        bars();
        times();
        furtherValues();
        for (String plot : plots) {
            line("![" + plot + "](" + plot + ")");
            line("");
        }
        surroundings(json);
        return text.toString();
    }

    private void warnings(JsonNode json) {
        if (json.path("quick").asBoolean()) {
            warning("A `--quick` run: small states and short iterations. Not a measurement.");
        }
        if (json.path("preset").asText().equals("short")) {
            warning("A `--short` run: full sizes, less warm-up and fewer iterations.");
        }
        if (!json.path("profiler").asText().isEmpty()) {
            warning("Run under the profiler `" + json.path("profiler").asText() + "`.");
        }
        if (!json.has("finished")) {
            warning("The run was interrupted.");
        }
        if (json.path("git").path("changedFiles").asInt() > 0) {
            warning("The working tree had changes that are not in the commit.");
        }
        for (JsonNode failure : json.path("failures")) {
            warning(
                    "FAILED: %s on %s, round %d: %s"
                            .formatted(
                                    failure.path("case").asText(),
                                    failure.path("backend").asText(),
                                    failure.path("round").asInt(),
                                    failure.path("message")
                                            .asText()
                                            .lines()
                                            .findFirst()
                                            .orElse("")));
        }
        line("");
    }

    private void warning(String words) {
        line("");
        line("> " + words);
    }

    private void bars() {
        line("## Against the bars");
        line("");
        line(
                "Ratio: the rival's median time over that of our backend in the same round; median"
                        + " over the rounds (least – greatest).");
        line("");
        line("| case | backend | measure | bar | measured | |");
        line("|---|---|---|---|---|---|");
        for (JsonNode one : result.cases()) {
            for (String ours : barred(one)) {
                one.path("minRatio")
                        .properties()
                        .forEach(
                                bar ->
                                        ratioBar(
                                                one,
                                                ours,
                                                bar.getKey(),
                                                bar.getValue().asDouble()));
                for (Statistic statistic : Statistic.values()) {
                    one.path(statistic.field())
                            .properties()
                            .forEach(
                                    bar ->
                                            maximumBar(
                                                    one,
                                                    ours,
                                                    statistic,
                                                    bar.getKey(),
                                                    bar.getValue().asDouble()));
                }
            }
        }
        line("");
    }

    /** Our backends that the bars are for: the first named always, the others when they ran. */
    private List<String> barred(JsonNode one) {
        List<String> backends = new ArrayList<>();
        one.path("barsFor").forEach(backend -> backends.add(backend.asText()));
        if (backends.isEmpty()) {
            backends.add(BenchResult.OURS.getFirst());
        }
        String first = backends.getFirst();
        backends.removeIf(
                backend ->
                        !backend.equals(first) && !result.hasRun(one.path("id").asText(), backend));
        return backends;
    }

    private void ratioBar(JsonNode one, String ours, String rival, double bar) {
        String value = one.path("ratioOf").asText(BenchResult.TIME);
        Optional<Spread> ratio = result.ratio(one.path("id").asText(), ours, rival, value);
        String of = value.equals(BenchResult.TIME) ? "" : ", " + value;
        row(
                one.path("title").asText(),
                ours,
                "against " + rival + of,
                "≥ " + number(bar) + "×",
                ratio.map(spread -> spread(spread, "×")).orElse("not measured"),
                ratio.map(spread -> verdict(spread.median() >= bar)).orElse(""));
    }

    private void maximumBar(
            JsonNode one, String ours, Statistic statistic, String value, double bar) {
        String id = one.path("id").asText();
        Optional<Spread> measured =
                statistic == Statistic.MEDIAN
                        ? Spread.of(result.samples(id, ours, value))
                        : result.statistic(statistic, id, ours, value);
        String unit =
                !statistic.keepsUnit() ? "×" : value.equals(BenchResult.TIME) ? " " + unit(id) : "";
        row(
                one.path("title").asText(),
                ours,
                value + statistic.words(),
                "≤ " + number(bar) + unit,
                measured.map(spread -> spread(spread, unit)).orElse("not measured"),
                measured.map(spread -> verdict(spread.median() <= bar)).orElse(""));
    }

    private void times() {
        List<String> backends = result.backends();
        line("## Times");
        line("");
        line(
                "Median of all samples (least – greatest); below it the ratio to ours: to each of "
                        + String.join(", ", BenchResult.OURS)
                        + " that ran the case.");
        line("");
        line("| case | unit | " + String.join(" | ", backends) + " |");
        line("|---|---|" + "---|".repeat(backends.size()));
        for (JsonNode one : result.cases()) {
            String id = one.path("id").asText();
            List<String> cells = new ArrayList<>(List.of(one.path("title").asText(), unit(id)));
            for (String backend : backends) {
                cells.add(
                        Spread.of(result.samples(id, backend, BenchResult.TIME))
                                .map(spread -> spread(spread, "") + ratioNote(id, backend))
                                .orElse("–"));
            }
            row(cells.toArray(String[]::new));
        }
        line("");
    }

    private String ratioNote(String id, String backend) {
        if (BenchResult.OURS.contains(backend)) {
            return "";
        }
        List<String> ratios = new ArrayList<>();
        for (String ours : BenchResult.OURS) {
            result.ratio(id, ours, backend, BenchResult.TIME)
                    .ifPresent(ratio -> ratios.add(number(ratio.median()) + "×"));
        }
        return ratios.isEmpty() ? "" : "<br>" + String.join(", ", ratios);
    }

    private void furtherValues() {
        line("## Further values");
        line("");
        line(
                "Median of all samples (least – greatest), and of many samples the medians of the"
                        + " first and the last tenth of each round.");
        line("");
        line("| case | value | backend | measured | first → last tenth |");
        line("|---|---|---|---|---|");
        for (JsonNode one : result.cases()) {
            String id = one.path("id").asText();
            List<String> values = new ArrayList<>(result.furtherValues(id));
            values.addFirst(BenchResult.TIME);
            for (String value : values) {
                for (String backend : result.backends()) {
                    furtherValue(one, backend, value);
                }
            }
        }
        line("");
    }

    private void furtherValue(JsonNode one, String backend, String value) {
        String id = one.path("id").asText();
        String tenths = tenths(id, backend, value);
        // The times have a table of their own; only their course is told here.
        if (!value.equals(BenchResult.TIME) || !tenths.isEmpty()) {
            Spread.of(result.samples(id, backend, value))
                    .ifPresent(
                            spread ->
                                    row(
                                            one.path("title").asText(),
                                            value,
                                            backend,
                                            spread(spread, ""),
                                            tenths));
        }
    }

    private String tenths(String id, String backend, String value) {
        return result.rounds(id, backend, value).stream()
                .filter(samples -> samples.size() >= MANY_SAMPLES)
                .map(
                        samples ->
                                number(Spread.median(Statistic.firstTenth(samples)))
                                        + " → "
                                        + number(Spread.median(Statistic.lastTenth(samples))))
                .collect(Collectors.joining("<br>"));
    }

    private void surroundings(JsonNode json) {
        line("## Measured on");
        line("");
        line("| | |");
        line("|---|---|");
        row("commit", json.path("git").path("commit").asText());
        for (String part : List.of("machine", "java", "versions", "library")) {
            for (Map.Entry<String, JsonNode> entry : json.path(part).properties()) {
                row(part + ": " + entry.getKey(), entry.getValue().asText());
            }
        }
        row("managed memory", json.path("managedMib").asText() + " MiB");
        List<String> flags = new ArrayList<>();
        json.path("jvmFlags").forEach(flag -> flags.add(flag.asText()));
        row("heap", flags.stream().filter(flag -> flag.startsWith("-Xmx")).toList().toString());
        List<Double> loads = new ArrayList<>();
        json.path("runs").forEach(run -> loads.add(run.path("loadBefore").asDouble()));
        row(
                "load average before a fork",
                Spread.of(loads).map(spread -> spread(spread, "")).orElse("–"));
        row("rounds", json.path("rounds").asText());
        row(
                "preset",
                json.path("preset").asText(json.path("quick").asBoolean() ? "quick" : "full"));
    }

    private void row(String... cells) {
        line("| " + String.join(" | ", cells) + " |");
    }

    private void line(String words) {
        text.append(words).append('\n');
    }

    private String unit(String id) {
        return result.unit(id).replace("/op", "");
    }

    private static String verdict(boolean reached) {
        return reached ? "reached" : "**missed**";
    }

    private static String spread(Spread spread, String unit) {
        return "%s%s (%s – %s)"
                .formatted(
                        number(spread.median()),
                        unit,
                        number(spread.least()),
                        number(spread.greatest()));
    }

    /** Three significant digits or so. */
    static String number(double value) {
        int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
