package io.streamfusion.nexmark.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuickstartOptionsTest {

    @Test
    void withoutOptionsItIsQ4OnPaimonTables() {
        QuickstartOptions options = QuickstartOptions.parse(List.of());
        assertThat(options.query().name()).isEqualTo("q4");
        assertThat(options.backend()).isEqualTo(Backend.STREAMFUSION_PAIMON);
        assertThat(options.seed()).isEqualTo(42);
        assertThat(options.eventsPerSecond()).isEmpty();
        assertThat(options.keepUi()).isFalse();
    }

    @Test
    void everyOptionIsTaken() {
        String line =
                "--query q18 --events 1000000 --backend rocksdb --parallelism 3 --seed -7"
                        + " --events-per-second 5000 --work-dir /w/../v --keep-ui";
        QuickstartOptions options = QuickstartOptions.parse(Arrays.asList(line.split(" ", -1)));
        assertThat(options.query().name()).isEqualTo("q18");
        assertThat(options.events()).isEqualTo(1_000_000);
        assertThat(options.backend()).isEqualTo(Backend.ROCKSDB);
        assertThat(options.parallelism()).isEqualTo(3);
        assertThat(options.seed()).isEqualTo(-7);
        assertThat(options.eventsPerSecond()).isEqualTo(OptionalLong.of(5000));
        assertThat(options.workDir()).hasToString("/v");
        assertThat(options.keepUi()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--query q6; there is no query 'q6'",
                "--query q6; q0, q1, q2, q3, q4, q5, q7,",
                "--query; --query needs a value",
                "--events -1; --events must be at least 1, not -1",
                "--events many; --events needs a whole number, not 'many'",
                "--backend heap; there is no backend 'heap'",
                "--backend heap; streamfusion-paimon, streamfusion-memory, hashmap, rocksdb",
                "--parallelism 0; --parallelism must be at least 1, not 0",
                "--parallelism 129; --parallelism must be at most 128, not 129",
                "--speed 9; there is no option '--speed'"
            })
    void wrongUseIsExplainedAndStartsNothing(String line, String message) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Quickstart.run(Arrays.asList(line.split(" ", -1)), print(out), print(err));
        assertThat(code).isEqualTo(2);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("quickstart: ")
                .contains(message)
                .contains("--help")
                .hasLineCount(1);
    }

    @Test
    void helpNamesEveryOption() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int code = Quickstart.run(List.of("--help"), print(out), print(out));
        assertThat(code).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("--query", "--events", "--backend", "--parallelism", "--seed")
                .contains("--events-per-second", "--work-dir", "--keep-ui")
                .contains("streamfusion-paimon, streamfusion-memory, hashmap, rocksdb");
    }

    private static PrintStream print(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
