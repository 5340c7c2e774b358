package io.streamfusion.nexmark.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole program, as {@code bin/quickstart} starts it. */
class QuickstartITCase {

    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "streamfusion-memory", "streamfusion-paimon"})
    void comparesARunWithHashmapAndWithTheKnownResult(String backend, @TempDir Path workDir) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code =
                Quickstart.run(
                        List.of(
                                "--events",
                                "20000",
                                "--backend",
                                backend,
                                "--work-dir",
                                workDir.toString()),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8));
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("Flink web UI: http://")
                .contains("== q4 on " + backend + " ==")
                .contains("id | final")
                .contains("IDENTICAL: q4 gives the same 5 final rows on " + backend)
                .contains("IDENTICAL: q4 on " + backend + " and the known result")
                .doesNotContain("DIFFERENT");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .satisfies(printed -> printsStateOnlyOf("streamfusion-paimon", backend, printed));
        assertThat(code).isZero();
        Path results = workDir.resolve("results");
        assertThat(results.resolve("q4-chosen-" + backend + ".rows"))
                .hasSameTextualContentAs(results.resolve("q4-reference-hashmap.rows"))
                .content()
                .hasLineCount(5);
    }

    private static void printsStateOnlyOf(String queryable, String backend, String printed) {
        if (!backend.equals(queryable)) {
            assertThat(printed).doesNotContain("SQL>");
            return;
        }
        // Each category's sum and number of final prices, whose average is the result's row.
        assertThat(printed)
                .contains("SQL> CREATE CATALOG state WITH ('type' = 'streamfusion-state', 'path' =")
                .contains("SQL> SELECT * FROM state.streamfusion.row_counts;")
                .containsPattern("(?m)^SQL> SELECT \\* FROM state\\.`GroupAggregate.*LIMIT 5;$")
                .contains("key | value")
                .contains("[10] | [5960037795, 205, 205]", "[14] | [5850802359, 217, 217]");
    }
}
