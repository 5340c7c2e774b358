package io.streamfusion.jmh.runner;

import io.streamfusion.jmh.operator.OperatorBench;
import io.streamfusion.jmh.operator.OperatorCase;
import io.streamfusion.jmh.runner.BenchCase.Bars;
import io.streamfusion.jmh.runner.BenchCase.Effort;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The cases of {@code bin/bench-operators}: each operator, with as many keys. */
final class OperatorCatalogue {
    private static final int KEYS = 1_000_000;
    private static final int QUICK_KEYS = 10_000;

    private OperatorCatalogue() {}

    static List<BenchCase> cases(Preset preset) {
        int keys = preset == Preset.QUICK ? QUICK_KEYS : KEYS;
        Effort effort =
                preset.choose(
                        new Effort(false, 5, 5, 2),
                        new Effort(false, 3, 4, 1.5),
                        new Effort(false, 1, 2, 0.3));
        return Arrays.stream(OperatorCase.values())
                .map(
                        one ->
                                new BenchCase(
                                        one.name().toLowerCase(Locale.ROOT).replace('_', '-'),
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
                                        Bars.of("streamfusion-memory", "streamfusion-paimon")))
                .toList();
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
