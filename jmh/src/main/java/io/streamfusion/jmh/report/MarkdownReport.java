package io.streamfusion.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** One result file as Markdown: bars, all backends, what was measured on. */
final class MarkdownReport {
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
        line("# State benchmarks, " + json.path("started").asText());
        line("");
        line("Written by `bin/bench-report` from `" + name + ".json`, which holds every sample.");
        warnings(json);
        bars();
        times();
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
                "Ratio: the rival's median time over that of "
                        + BenchResult.OURS
                        + " in the same round; median over the rounds (least – greatest).");
        line("");
        line("| case | measure | bar | measured | |");
        line("|---|---|---|---|---|");
        for (JsonNode one : result.cases()) {
            String id = one.path("id").asText();
            one.path("minRatio")
                    .properties()
                    .forEach(bar -> ratioBar(one, id, bar.getKey(), bar.getValue().asDouble()));
            one.path("max")
                    .properties()
                    .forEach(bar -> maximumBar(one, id, bar.getKey(), bar.getValue().asDouble()));
        }
        line("");
    }

    private void ratioBar(JsonNode one, String id, String rival, double bar) {
        Optional<Spread> ratio = result.ratio(id, rival);
        row(
                one.path("title").asText(),
                "against " + rival,
                "≥ " + number(bar) + "×",
                ratio.map(spread -> spread(spread, "×")).orElse("not measured"),
                ratio.map(spread -> verdict(spread.median() >= bar)).orElse(""));
    }

    private void maximumBar(JsonNode one, String id, String value, double bar) {
        Optional<Spread> ours = Spread.of(result.samples(id, BenchResult.OURS, value));
        String unit = value.equals(BenchResult.TIME) ? " " + unit(id) : "";
        row(
                one.path("title").asText(),
                value,
                "≤ " + number(bar) + unit,
                ours.map(spread -> spread(spread, unit)).orElse("not measured"),
                ours.map(spread -> verdict(spread.median() <= bar)).orElse(""));
    }

    private void times() {
        List<String> backends = result.backends();
        line("## Times");
        line("");
        line("Median of all samples (least – greatest); below it the ratio to ours.");
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
        return backend.equals(BenchResult.OURS)
                ? ""
                : result.ratio(id, backend)
                        .map(ratio -> "<br>" + number(ratio.median()) + "×")
                        .orElse("");
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
