package io.streamfusion.jmh.runner;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command line of {@code bin/bench-state} and {@code bin/bench-operators}.
 *
 * @param suite whose cases
 * @param preset how much is measured
 * @param only groups or cases; empty: all
 * @param rounds how often each case runs on each backend, at least 1
 * @param backends values of {@code state.backend.type}
 * @param heap of each fork, as {@code -Xmx} takes it
 * @param managedMib managed memory of each fork in MiB
 * @param profiler a JMH profiler ({@code name} or {@code name:options}); empty: none. {@code async}
 *     without options takes the library on the class path
 * @param result the JSON file to write
 */
record BenchArguments(
        Suite suite,
        Preset preset,
        Set<String> only,
        int rounds,
        List<String> backends,
        String heap,
        long managedMib,
        String profiler,
        Path result) {
    private static final String USAGE =
            """
            usage: %1$s [--quick | --short] [--only CASE,...] [--rounds N] [--backends NAME,...]
                        [--heap SIZE] [--managed MIB] [--profile PROFILER] [--out FILE]
              --quick      small states, short iterations: shows that the benchmarks run, no figures
              --short      full sizes, less warm-up and fewer iterations: figures in fewer minutes
              --only       groups: %2$s
                           or single cases: %3$s
              --rounds     rounds over all cases and backends (3; 1 with --quick or --short)
              --backends   hashmap,rocksdb,forst,streamfusion-memory,streamfusion-paimon (these)
              --heap       heap of each fork (8g; 1g with --quick)
              --managed    managed memory of each fork in MiB (3072; 512 with --quick); a case whose
                           state shall not fit (spill) has its own
              --profile    a JMH profiler: async (flame graphs beside the logs), gc, stack, perfasm, ...
              --out        the JSON file (target/%1$s/<time>.json)
            """;

    private static final List<String> BACKENDS =
            List.of("hashmap", "rocksdb", "forst", "streamfusion-memory", "streamfusion-paimon");

    /** What the command takes. */
    static String usage(Suite suite) {
        String cases =
                suite.cases(Preset.FULL).stream()
                        .map(BenchCase::id)
                        .collect(Collectors.joining(","));
        return USAGE.formatted(suite.command(), suite.groups(), cases);
    }

    /**
     * Reads the command line.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    static BenchArguments parse(Suite suite, List<String> arguments, Path defaultResult) {
        Parser parser = new Parser(arguments);
        Preset preset = parser.preset();
        boolean quick = preset == Preset.QUICK;
        Set<String> only = new TreeSet<>(parser.list("--only", List.of()));
        int rounds = (int) parser.number("--rounds", preset == Preset.FULL ? 3 : 1);
        List<String> backends = parser.list("--backends", BACKENDS);
        String heap = parser.text("--heap", quick ? "1g" : "8g");
        long managed = parser.number("--managed", quick ? 512 : 3072);
        String profiler = parser.text("--profile", "");
        Path result = Path.of(parser.text("--out", defaultResult.toString())).toAbsolutePath();
        parser.end();
        Set<String> known =
                suite.cases(preset).stream()
                        .flatMap(one -> Stream.of(one.group(), one.id()))
                        .collect(Collectors.toCollection(TreeSet::new));
        for (String name : only) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "--only: unknown " + name + "; there are " + known);
            }
        }
        return new BenchArguments(
                suite, preset, only, rounds, backends, heap, managed, profiler, result);
    }

    /** The cases asked for. */
    List<BenchCase> cases() {
        return suite.cases(preset).stream()
                .filter(
                        one ->
                                only.isEmpty()
                                        || only.contains(one.group())
                                        || only.contains(one.id()))
                .toList();
    }

    private static final class Parser {
        private static final List<String> FLAGS =
                List.of(Preset.QUICK.option(), Preset.SHORT.option());

        private final LinkedHashMap<String, String> values = new LinkedHashMap<>();

        Parser(List<String> arguments) {
            int i = 0;
            while (i < arguments.size()) {
                String name = arguments.get(i++);
                boolean hasValue = !FLAGS.contains(name);
                if (hasValue && i == arguments.size()) {
                    throw new IllegalArgumentException(name + " needs a value");
                }
                values.put(name, hasValue ? arguments.get(i++) : "");
            }
        }

        Preset preset() {
            boolean quick = values.remove(Preset.QUICK.option()) != null;
            boolean shorter = values.remove(Preset.SHORT.option()) != null;
            if (quick && shorter) {
                throw new IllegalArgumentException("either --quick or --short");
            }
            return quick ? Preset.QUICK : shorter ? Preset.SHORT : Preset.FULL;
        }

        String text(String name, String otherwise) {
            String value = values.remove(name);
            return value == null ? otherwise : value;
        }

        List<String> list(String name, List<String> otherwise) {
            String value = values.remove(name);
            return value == null
                    ? otherwise
                    : Stream.of(value.split(",", -1)).map(String::strip).toList();
        }

        long number(String name, long otherwise) {
            String value = values.remove(name);
            if (value == null) {
                return otherwise;
            }
            if (!value.matches("[1-9][0-9]{0,8}")) {
                throw new IllegalArgumentException(
                        name + " needs a number from 1 on, not " + value);
            }
            return Long.parseLong(value);
        }

        void end() {
            if (!values.isEmpty()) {
                throw new IllegalArgumentException(
                        "unknown option " + values.firstEntry().getKey());
            }
        }
    }
}
