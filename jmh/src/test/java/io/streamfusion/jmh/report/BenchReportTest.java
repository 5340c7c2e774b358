package io.streamfusion.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchReportTest {
    private static final String RESULT =
            """
            {"format": 1, "started": "2026-01-01T00:00:00Z", "quick": false, "rounds": 2,
             "profiler": "", "git": {"commit": "abc", "changedFiles": 0}, "machine": {"cores": 2},
             "managedMib": 512, "jvmFlags": ["-Xmx8g"], "finished": "2026-01-01T01:00:00Z",
             "cases": [
              {"id": "value", "title": "Value", "minRatio": {"rocksdb": 6.0, "hashmap": 0.8}, "max": {}},
              {"id": "sync", "title": "Sync", "minRatio": {}, "max": {"time": 5.0, "bytes": 1.5}},
              {"id": "chain", "title": "Chain", "barsFor": ["streamfusion-paimon", "streamfusion-memory"],
               "ratioOf": "slowest", "minRatio": {"rocksdb": 2.0}, "maxMean": {"bytes": 2.0},
               "maxGrowth": {"time": 1.3}, "maxPeakGrowth": {"files": 1.25}}],
             "runs": [
              {"case": "value", "backend": "rocksdb", "round": 1, "unit": "ns/op", "samples": [900, 1000, 1100], "loadBefore": 0.5},
              {"case": "value", "backend": "streamfusion-memory", "round": 1, "unit": "ns/op", "samples": [100, 100, 400], "loadBefore": 0.5},
              {"case": "value", "backend": "rocksdb", "round": 2, "unit": "ns/op", "samples": [1600, 1600], "loadBefore": 0.5},
              {"case": "value", "backend": "streamfusion-memory", "round": 2, "unit": "ns/op", "samples": [200, 200], "loadBefore": 0.5},
              {"case": "value", "backend": "hashmap", "round": 2, "unit": "ns/op", "samples": [100], "loadBefore": 0.5},
              {"case": "sync", "backend": "streamfusion-memory", "round": 1, "unit": "ms/op", "samples": [4, 6, 7],
               "secondary": {"bytes": [1.4, 1.4]}, "loadBefore": 0.5},
              {"case": "chain", "backend": "rocksdb", "round": 1, "unit": "ms/op", "samples": [1],
               "secondary": {"slowest": [9]}, "loadBefore": 0.5},
              {"case": "chain", "backend": "streamfusion-paimon", "round": 1, "unit": "ms/op",
               "samples": [10, 11, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 14, 14],
               "secondary": {"slowest": [3], "bytes": [1, 1, 7], "files": [4, 8, 6, 9]}, "loadBefore": 0.5}],
             "failures": [{"case": "value", "backend": "forst", "round": 1, "message": "no such backend"}]}
            """;

    @TempDir Path directory;

    @Test
    void ratiosAreOfMediansWithinARound() throws IOException {
        // Round 1: 1000 / 100, round 2: 1600 / 200.
        assertThat(page())
                .contains(
                        "| Value | streamfusion-memory | against rocksdb | ≥ 6.00× | 9.00× (8.00 –"
                                + " 10.0) | reached |")
                .contains(
                        "| Value | streamfusion-memory | against hashmap | ≥ 0.80× | 0.50× (0.50 –"
                                + " 0.50) | **missed** |");
    }

    @Test
    void maximaAreOfAllSamples() throws IOException {
        assertThat(page())
                .contains(
                        "| Sync | streamfusion-memory | time | ≤ 5.00 ms | 6.00 ms (4.00 – 7.00) |"
                                + " **missed** |")
                .contains(
                        "| Sync | streamfusion-memory | bytes | ≤ 1.50 | 1.40 (1.40 – 1.40) |"
                                + " reached |");
    }

    @Test
    void aCaseNamesItsBackendAndWhatItsBarsAreOf() throws IOException {
        String chain = "| Chain | streamfusion-paimon | ";
        assertThat(page())
                .contains(
                        chain
                                + "against rocksdb, slowest | ≥ 2.00× | 3.00× (3.00 – 3.00) |"
                                + " reached")
                .contains(chain + "bytes, mean | ≤ 2.00 | 3.00 (3.00 – 3.00) | **missed**")
                .contains(
                        chain
                                + "time, last tenth over first | ≤ 1.30× | 1.33× (1.33 – 1.33) |"
                                + " **missed**")
                .contains(
                        chain
                                + "files, greatest of second half over that of first | ≤ 1.25× |"
                                + " 1.13× (1.13 – 1.13) | reached")
                .doesNotContain("| Chain | streamfusion-memory");
    }

    @Test
    void furtherValuesAndTheCourseOfManySamplesAreShown() throws IOException {
        assertThat(page())
                .contains(
                        "| Chain | time | streamfusion-paimon | 10.0 (10.0 – 14.0) | 10.5 → 14.0 |")
                .contains("| Chain | files | streamfusion-paimon | 7.00 (4.00 – 9.00) |  |");
    }

    @Test
    void failuresAndGapsAreShown() throws IOException {
        assertThat(page())
                .contains("FAILED: value on forst, round 1: no such backend")
                .contains("| Sync | ms | – | – | 6.00 (4.00 – 7.00) | – |");
    }

    @Test
    void plotsBesideThePageAreLinked() throws IOException {
        Files.writeString(directory.resolve("run-times.svg"), "<svg/>");
        Files.writeString(directory.resolve("other-times.svg"), "<svg/>");

        assertThat(page())
                .contains("![run-times.svg](run-times.svg)")
                .doesNotContain("other-times");
    }

    @Test
    void anotherFormatIsRefused() throws IOException {
        Path file = directory.resolve("run.json");
        Files.writeString(file, RESULT.replace("\"format\": 1", "\"format\": 2"));

        assertThatThrownBy(() -> BenchReportMain.write(file, directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("format 2");
    }

    private String page() throws IOException {
        Path file = directory.resolve("run.json");
        Files.writeString(file, RESULT);
        return Files.readString(BenchReportMain.write(file, directory));
    }
}
