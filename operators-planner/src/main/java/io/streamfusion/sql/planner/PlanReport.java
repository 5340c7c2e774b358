package io.streamfusion.sql.planner;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What became of a plan.
 *
 * @param lines one for each operator, from the sinks to the sources
 */
record PlanReport(List<String> lines) {
    private static final String HEAD = "== StreamFusion ==";

    /** An explanation of Flink, with a section of ours behind it. */
    String behind(String explanation) {
        String end = System.lineSeparator();
        return explanation
                + (explanation.endsWith("\n") ? "" : end)
                + end
                + HEAD
                + end
                + lines.stream().map(line -> line + end).collect(Collectors.joining());
    }

    @Override
    public String toString() {
        return String.join(System.lineSeparator(), lines);
    }
}
