package io.streamfusion.jmh.runner;

import io.streamfusion.cluster.Surroundings;
import io.streamfusion.jmh.state.BenchBackend;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.openjdk.jmh.runner.RunnerException;

/**
 * {@code bin/bench-state} and {@code bin/bench-operators}: runs the cases of a suite on several
 * backends and writes all samples to one JSON file.
 *
 * <p>The forks alternate: within a round each case visits every backend before the next case, and
 * each round begins with another backend. So a ratio compares neighbours in time.
 */
public final class BenchMain {
    private static final PrintStream OUT = System.out;

    private final BenchArguments arguments;
    private final ResultFile result;
    private final BenchFork fork;
    private int failures;

    private BenchMain(BenchArguments arguments, Path logs)
            throws IOException, InterruptedException {
        this.arguments = arguments;
        fork = new BenchFork(arguments, RunEnvironment.jvmFlags(), logs);
        result = new ResultFile(arguments, fork.flags());
        for (String backend : arguments.backends()) {
            result.configuration(backend, BenchBackend.configuration(backend).toMap());
        }
    }

    /**
     * Takes the name of the command and its command line. Exit codes: 0 all ran, 1 a fork failed, 2
     * the command line is wrong.
     */
    public static void main(String[] commandLine) throws IOException, InterruptedException {
        Suite suite =
                Arrays.stream(Suite.values())
                        .filter(one -> one.command().equals(commandLine[0]))
                        .findFirst()
                        .orElseThrow();
        List<String> options = List.of(commandLine).subList(1, commandLine.length);
        if (options.contains("--help")) {
            OUT.print(BenchArguments.usage(suite));
            return;
        }
        Path directory = Path.of("target", suite.command()).toAbsolutePath();
        String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString().replace(":", "");
        BenchArguments arguments;
        try {
            arguments = BenchArguments.parse(suite, options, directory.resolve(time + ".json"));
        } catch (IllegalArgumentException e) {
            System.err.println(suite.command() + ": " + e.getMessage());
            System.err.print(BenchArguments.usage(suite));
            System.exit(2);
            return;
        }
        BenchMain main = new BenchMain(arguments, directory.resolve("logs-" + time));
        main.run();
        OUT.println("logs of the forks: " + directory.resolve("logs-" + time));
        OUT.println("result: " + arguments.result());
        System.exit(main.failures == 0 ? 0 : 1);
    }

    private void run() throws IOException {
        List<BenchCase> cases = arguments.cases();
        result.cases(cases);
        for (int round = 1; round <= arguments.rounds(); round++) {
            for (BenchCase benchCase : cases) {
                List<String> backends = new ArrayList<>(arguments.backends());
                backends.removeIf(backend -> !benchCase.runsOn(backend));
                Collections.rotate(backends, 1 - round);
                for (String backend : backends) {
                    runOne(benchCase, backend, round);
                }
            }
        }
        result.finish();
    }

    private void runOne(BenchCase benchCase, String backend, int round) throws IOException {
        OUT.printf(
                Locale.ROOT,
                "round %d/%d  %-22s %-20s ",
                round,
                arguments.rounds(),
                benchCase.id(),
                backend);
        OUT.flush();
        double load = Surroundings.load();
        long start = System.nanoTime();
        try {
            BenchFork.Measured measured = fork.run(benchCase, backend, round);
            double seconds = (System.nanoTime() - start) / 1e9;
            result.run(benchCase.id(), backend, round, measured, load, seconds);
            OUT.printf(
                    Locale.ROOT,
                    "%14.3f %s%s   (%.0f s)%n",
                    median(measured.samples()),
                    measured.unit(),
                    measured.secondary().entrySet().stream()
                            .map(
                                    entry ->
                                            String.format(
                                                    Locale.ROOT,
                                                    ", %s %.3f",
                                                    entry.getKey(),
                                                    median(entry.getValue())))
                            .collect(Collectors.joining()),
                    seconds);
        } catch (RunnerException e) {
            failures++;
            result.failure(benchCase.id(), backend, round, reason(e));
            OUT.println("FAILED: " + reason(e));
        }
    }

    /** What the innermost of the exceptions says; JMH suppresses those of the benchmark. */
    private static String reason(Throwable thrown) {
        Throwable inner = thrown;
        while (inner.getCause() != null || inner.getSuppressed().length > 0) {
            inner = inner.getCause() != null ? inner.getCause() : inner.getSuppressed()[0];
        }
        return inner.toString();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
