package io.streamfusion.state.memory.model;

import java.util.List;
import java.util.stream.Collectors;

/** One step of a history; its text is what {@link #parse} reads. */
record Step(StepKind kind, int a, int b, int c, int d) {

    /** Reads steps, one a line. */
    static List<Step> parse(String lines) {
        return lines.lines()
                .filter(line -> !line.isBlank())
                .map(line -> parseOne(line.strip()))
                .toList();
    }

    private static Step parseOne(String line) {
        String[] parts = line.split(" ", -1);
        if (parts.length != 5) {
            throw new IllegalArgumentException("Not a step with four numbers: " + line);
        }
        return new Step(
                StepKind.valueOf(parts[0]),
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]),
                Integer.parseInt(parts[4]));
    }

    /** The steps as a text that {@link #parse} reads. */
    static String text(List<Step> steps) {
        return steps.stream().map(step -> step + "\n").collect(Collectors.joining());
    }

    @Override
    public String toString() {
        return kind + " " + a + " " + b + " " + c + " " + d;
    }
}
