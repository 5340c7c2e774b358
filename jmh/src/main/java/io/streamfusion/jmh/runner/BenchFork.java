package io.streamfusion.jmh.runner;

import io.streamfusion.jmh.runner.BenchCase.Effort;
import io.streamfusion.jmh.state.BenchBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** One fork of JMH: a case on a backend in a fresh JVM with a temporary directory of its own. */
final class BenchFork {
    private final BenchArguments arguments;
    private final List<String> jvmFlags;
    private final Path logs;

    BenchFork(BenchArguments arguments, List<String> jvmFlags, Path logs) {
        this.arguments = arguments;
        this.jvmFlags = jvmFlags;
        this.logs = logs;
    }

    /**
     * What a fork measured.
     *
     * @param mode JMH's short name of the mode
     * @param unit of the samples
     * @param samples one score for each measured iteration
     * @param secondary further values by name, one for each measured iteration
     */
    record Measured(
            String mode, String unit, List<Double> samples, Map<String, List<Double>> secondary) {}

    /**
     * Runs the case.
     *
     * @throws RunnerException when the fork fails; the log says why
     */
    Measured run(BenchCase benchCase, String backend, int round)
            throws RunnerException, IOException {
        Files.createDirectories(logs);
        Path temporary = Files.createTempDirectory(logs, "tmp-");
        try {
            String log = round + "-" + benchCase.id() + "-" + backend + ".log";
            ChainedOptionsBuilder options = options(benchCase, backend, temporary);
            options.output(logs.resolve(log).toString());
            return measured(new Runner(options.build()).runSingle());
        } finally {
            delete(temporary);
        }
    }

    /** Flags of the forked JVM, without its temporary directory and the memory of one case. */
    List<String> flags() {
        List<String> flags = new ArrayList<>(jvmFlags);
        flags.add("-Xms" + arguments.heap());
        flags.add("-Xmx" + arguments.heap());
        flags.add("-D" + BenchBackend.MANAGED_MIB_PROPERTY + "=" + arguments.managedMib());
        return flags;
    }

    private ChainedOptionsBuilder options(BenchCase benchCase, String backend, Path temporary)
            throws IOException {
        Effort effort = benchCase.effort();
        List<String> flags = flags();
        if (benchCase.managedMib() > 0) {
            flags.add("-D" + BenchBackend.MANAGED_MIB_PROPERTY + "=" + benchCase.managedMib());
        }
        flags.add("-Djava.io.tmpdir=" + temporary);
        ChainedOptionsBuilder options =
                new OptionsBuilder()
                        .include("^" + Pattern.quote(benchCase.benchmark()) + "$")
                        .param("backend", backend)
                        .forks(1)
                        .warmupIterations(effort.warmups())
                        .measurementIterations(effort.iterations())
                        .jvmArgs(flags.toArray(String[]::new))
                        .shouldFailOnError(true);
        benchCase.parameters().forEach(options::param);
        if (!effort.singleShot()) {
            TimeValue time = new TimeValue((long) (effort.seconds() * 1000), TimeUnit.MILLISECONDS);
            options.warmupTime(time).measurementTime(time);
        }
        if (!arguments.profiler().isEmpty()) {
            String[] parts = arguments.profiler().split(":", 2);
            String given = parts.length == 2 ? parts[1] : "";
            boolean bundled = parts[0].equals("async") && given.isEmpty();
            options.addProfiler(parts[0], bundled ? AsyncProfilerLibrary.options(logs) : given);
        }
        return options;
    }

    private static Measured measured(RunResult result) {
        List<Double> samples = new ArrayList<>();
        Map<String, List<Double>> secondary = new TreeMap<>();
        for (BenchmarkResult fork : result.getBenchmarkResults()) {
            for (IterationResult iteration : fork.getIterationResults()) {
                samples.add(iteration.getPrimaryResult().getScore());
                for (String name : iteration.getSecondaryResults().keySet()) {
                    double score = iteration.getSecondaryResults().get(name).getScore();
                    if (Double.isFinite(score)) { // a profiler's text comes as "not a number"
                        secondary.computeIfAbsent(name, key -> new ArrayList<>()).add(score);
                    }
                }
            }
        }
        return new Measured(
                result.getParams().getMode().shortLabel(),
                result.getPrimaryResult().getScoreUnit(),
                samples,
                secondary);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
