package io.streamfusion.nexmark.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.nexmark.query.NexmarkQuery;
import io.streamfusion.nexmark.query.ResultOracle;
import io.streamfusion.nexmark.query.ResultOracle.Known;
import io.streamfusion.nexmark.query.TiedRanks;
import io.streamfusion.nexmark.quickstart.QueryRun.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The queries over data set A on an embedded Flink, against the results that stock Flink is known
 * to give.
 */
class QueryOracleITCase {
    private static final int PARALLELISM = 2;

    /**
     * What the Paimon backend runs besides, by kinds of state: joins and aggregates, aligned,
     * sliding and session windows with their timers, a join of windows, top one, distinct maps.
     * Rows are kept as by the memory backend, which runs all.
     */
    private static final List<String> ON_TABLES =
            List.of("q4", "q5", "q8", "q9", "q11", "q16", "q18", "q20");

    @TempDir private static Path workDir;
    private static EmbeddedFlink flink;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeAll
    static void startFlink() throws Exception {
        flink = EmbeddedFlink.start(PARALLELISM, workDir);
    }

    @AfterAll
    static void stopFlink() {
        flink.close();
    }

    static Stream<Arguments> queriesAndBackends() {
        Stream<Arguments> named =
                Stream.of("q4", "q18")
                        .flatMap(
                                query ->
                                        Stream.of("hashmap", "rocksdb")
                                                .map(backend -> Arguments.of(query, backend)));
        Stream<Arguments> all =
                NexmarkQuery.NAMES.stream()
                        .filter(query -> new NexmarkQuery(query).deterministic())
                        .map(query -> Arguments.of(query, "streamfusion-memory"));
        Stream<Arguments> tables =
                ON_TABLES.stream().map(query -> Arguments.of(query, "streamfusion-paimon"));
        return Stream.of(named, all, tables).flatMap(arguments -> arguments);
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("queriesAndBackends")
    void givesTheKnownRows(String query, String backend) throws Exception {
        int parallelism = new NexmarkQuery(query).arrivalDecidesTies() ? 1 : PARALLELISM;
        Outcome outcome = run(query, backend, ResultOracle.EVENTS, parallelism);
        Known known = ResultOracle.find("A", new NexmarkQuery(query)).orElseThrow();
        assertThat(outcome.rows()).hasSize(Math.toIntExact(known.rows()));
        assertThat(outcome.sha256()).isEqualTo(known.sha256());
        // A job waits for a last checkpoint when its input has ended, so that even a fast one has
        // one.
        assertThat(outcome.checkpoints()).isPositive();
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("20,000 events", "checkpoint ", " sync ", " total ");
    }

    /** Two readers race: which of two bids of one price comes first is not known. */
    @Test
    void ranksTheKnownRowsInParallelUpToTies() throws Exception {
        Outcome outcome = run("q19", "streamfusion-memory", ResultOracle.EVENTS, PARALLELISM);
        Known known = ResultOracle.find("A", new NexmarkQuery("q19")).orElseThrow();
        List<String> rows = ResultOracle.sorted(TiedRanks.inOrderOfTime(outcome.rows()));
        assertThat(ResultOracle.sha256(rows)).isEqualTo(known.sha256());
    }

    @Test
    void aQueryOfTheClockRunsToo() throws Exception {
        assertThat(run("q12", "hashmap", 1000, PARALLELISM).columns())
                .containsExactly("bidder", "bid_count", "starttime", "endtime");
    }

    @Test
    void theUiIsServed() throws Exception {
        try (InputStream page = flink.webUi().resolve("/index.html").toURL().openStream()) {
            assertThat(new String(page.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("Apache Flink Web Dashboard");
        }
    }

    private Outcome run(String query, String backend, long events, int parallelism)
            throws Exception {
        QuickstartOptions options =
                QuickstartOptions.parse(
                        List.of(
                                "--query",
                                query,
                                "--events",
                                Long.toString(events),
                                "--parallelism",
                                Integer.toString(parallelism),
                                "--work-dir",
                                workDir.toString()));
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        return new QueryRun(flink, options, Backend.of(backend), out).run();
    }
}
