package io.streamfusion.jmh.runner;

import io.streamfusion.jmh.operator.GeneratorBench;
import io.streamfusion.jmh.operator.OperatorBench;
import io.streamfusion.jmh.operator.OperatorCase;
import io.streamfusion.jmh.report.Statistic;
import io.streamfusion.jmh.runner.BenchCase.Bars;
import io.streamfusion.jmh.runner.BenchCase.Effort;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The cases of {@code bin/bench-operators}: each operator, with as many keys, and the generator
 * that feeds the matrix.
 */
final class OperatorCatalogue {
    private static final int KEYS = 1_000_000;
    private static final int QUICK_KEYS = 10_000;

    /** 500,000 events a second on a core. */
    private static final double MOST_NANOS_AN_EVENT = 2_000;

    private OperatorCatalogue() {}

    static List<BenchCase> cases(Preset preset) {
        int keys = preset == Preset.QUICK ? QUICK_KEYS : KEYS;
        Effort effort =
                preset.choose(
                        new Effort(false, 5, 5, 2),
                        new Effort(false, 3, 4, 1.5),
                        new Effort(false, 1, 2, 0.3));
        Stream<BenchCase> generator =
                Arrays.stream(GeneratorBench.Form.values()).map(form -> generator(form, effort));
        Stream<BenchCase> operators =
                Arrays.stream(OperatorCase.values())
                        .map(
                                one ->
                                        new BenchCase(
                                                one.name()
                                                        .toLowerCase(Locale.ROOT)
                                                        .replace('_', '-'),
                                                "operators",
                                                title(one),
                                                OperatorBench.class.getName() + ".rows",
                                                Map.of(
                                                        "operator",
                                                        one.name(),
                                                        "keys",
                                                        Integer.toString(keys)),
                                                effort,
                                                0,
                                                List.of(),
                                                Bars.of(
                                                        "streamfusion-memory",
                                                        "streamfusion-paimon")));
        return Stream.concat(operators, generator).toList();
    }

    private static BenchCase generator(GeneratorBench.Form form, Effort effort) {
        return new BenchCase(
                "generator-" + form.name().toLowerCase(Locale.ROOT),
                "generator",
                "Nexmark generator on one core, an event as "
                        + (form == GeneratorBench.Form.ROW ? "a row" : "a line of JSON"),
                GeneratorBench.class.getName() + ".event",
                Map.of("form", form.name()),
                effort,
                0,
                List.of("hashmap"),
                Bars.of("hashmap").withLimit(Bars.TIME, Statistic.MEDIAN, MOST_NANOS_AN_EVENT));
    }

    private static String title(OperatorCase operator) {
        return switch (operator) {
            case GROUP_AGGREGATE -> "Group aggregate (COUNT, SUM, MAX), a row";
            case WINDOW_AGGREGATE -> "Tumbling window aggregate (COUNT, MAX), a row";
            case REGULAR_JOIN -> "Regular join of bids and auctions, a bid or its retraction";
            case TOP_N -> "Top 10 of each auction, a row";
            case DEDUPLICATE -> "Deduplicate, last row of each bidder, a row";
            case CALC -> "Filter and projection, a row";
        };
    }
}
