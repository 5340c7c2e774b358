package io.streamfusion.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the exactly-once file sink has committed, as a multiset of lines. */
final class CommittedOutput {
    private static final int SHOWN = 10;

    private final Map<String, Integer> lines = new HashMap<>();

    private CommittedOutput() {}

    /**
     * Reads all committed files; those of transactions that were not committed start with a dot.
     */
    static CommittedOutput read(Path directory) throws IOException {
        CommittedOutput output = new CommittedOutput();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                if (!file.getFileName().toString().startsWith(".")) {
                    Files.readAllLines(file)
                            .forEach(line -> output.lines.merge(line, 1, Integer::sum));
                }
            }
        }
        return output;
    }

    /** Returns how often a line was committed. */
    int count(String line) {
        return lines.getOrDefault(line, 0);
    }

    /** Returns lines committed more often than once; every expected line is unlike all others. */
    List<String> doubled() {
        return deterministic().filter(line -> lines.get(line) > 1).sorted().limit(SHOWN).toList();
    }

    /** Describes how the output differs from a set of lines; empty when it does not. */
    String differences(Set<String> expected) {
        Set<String> found = deterministic().collect(Collectors.toSet());
        return describe("lost", minus(expected, found))
                + describe("unexpected", minus(found, expected))
                + describe(
                        "doubled",
                        deterministic()
                                .filter(line -> lines.get(line) > 1)
                                .collect(Collectors.toSet()));
    }

    private Stream<String> deterministic() {
        return lines.keySet().stream().filter(line -> line.charAt(0) != Lines.TTL);
    }

    private static Set<String> minus(Set<String> from, Set<String> what) {
        Set<String> rest = new HashSet<>(from);
        rest.removeAll(what);
        return rest;
    }

    private static String describe(String what, Set<String> lines) {
        if (lines.isEmpty()) {
            return "";
        }
        return lines.stream()
                .sorted()
                .limit(SHOWN)
                .collect(
                        Collectors.joining(
                                "\n  ", lines.size() + " lines " + what + ", such as\n  ", "\n"));
    }
}
