package io.streamfusion.jmh.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every case still runs: one tiny iteration in this JVM. Times are not looked at. */
class BenchmarksRunTest {
    private static final Map<String, String> TINY =
            Map.of("keys", "500", "entries", "500", "dirty", "50", "timers", "500");

    @BeforeAll
    static void shareTheMachine() {
        // Another JMH on this machine is no reason to fail: nothing is measured.
        System.setProperty("jmh.ignoreLock", "true");
    }

    @AfterAll
    static void everythingIsFreed() {
        assertThat(NativeHandle.live()).isZero();
    }

    static Stream<BenchCase> cases() {
        return allCases()
                // The two sizes of one benchmark are one case here.
                .filter(one -> !one.id().equals("value-10m"));
    }

    private static Stream<BenchCase> allCases() {
        return Arrays.stream(Suite.values()).flatMap(suite -> suite.cases(Preset.FULL).stream());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void runsOnHashmap(BenchCase benchCase) throws Exception {
        assertThat(score(benchCase, "hashmap")).isPositive().isFinite();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void runsOnOurs(BenchCase benchCase) throws Exception {
        assertThat(score(benchCase, "streamfusion-memory")).isPositive().isFinite();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void runsOnOursWithTables(BenchCase benchCase) throws Exception {
        assertThat(score(benchCase, "streamfusion-paimon")).isPositive().isFinite();
    }

    @Test
    void catalogueHoldsEveryBenchmark() {
        List<String> inCatalogue = allCases().map(BenchCase::benchmark).distinct().toList();

        List<String> onClassPath =
                BenchmarkList.defaultList()
                        .getAll(
                                OutputFormatFactory.createFormatInstance(
                                        System.out, VerboseMode.SILENT),
                                List.of())
                        .stream()
                        .map(BenchmarkListEntry::getUsername)
                        .toList();

        assertThat(inCatalogue).containsExactlyInAnyOrderElementsOf(onClassPath);
    }

    private static double score(BenchCase benchCase, String backend) throws Exception {
        Map<String, String> parameters = new TreeMap<>(benchCase.parameters());
        parameters.replaceAll(TINY::getOrDefault);
        var options =
                new OptionsBuilder()
                        .include("^" + Pattern.quote(benchCase.benchmark()) + "$")
                        .param("backend", backend)
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(1))
                        .verbosity(VerboseMode.SILENT)
                        .shouldFailOnError(true);
        parameters.forEach(options::param);
        RunResult result = new Runner(options.build()).runSingle();
        return result.getPrimaryResult().getScore();
    }
}
