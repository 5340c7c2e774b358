package io.streamfusion.jmh.runner;

import java.util.List;
import java.util.stream.Collectors;

/** A command with its cases. */
enum Suite {
    /** Keyed state, timers, checkpoints, restores. */
    STATE("bench-state"),
    /** SQL operators. */
    OPERATORS("bench-operators");

    private final String command;

    Suite(String command) {
        this.command = command;
    }

    /** Name of the command, and of its folder of results. */
    String command() {
        return command;
    }

    List<BenchCase> cases(Preset preset) {
        return switch (this) {
            case STATE -> BenchCatalogue.cases(preset);
            case OPERATORS -> OperatorCatalogue.cases(preset);
        };
    }

    /** The groups of its cases, in order. */
    String groups() {
        return cases(Preset.FULL).stream()
                .map(BenchCase::group)
                .distinct()
                .collect(Collectors.joining(","));
    }
}
