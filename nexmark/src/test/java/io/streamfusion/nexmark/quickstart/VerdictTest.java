package io.streamfusion.nexmark.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.nexmark.query.ResultOracle;
import io.streamfusion.nexmark.quickstart.QueryRun.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static final List<String> KNOWN_ROWS_OF_Q4 =
            List.of("10|29073355", "11|28857615", "12|24401287", "13|29030024", "14|26962222");

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void equalRowsAreIdentical() {
        assertThat(judge("--events 7", List.of("1|2", "2|3"), List.of("1|2", "2|3"))).isTrue();
        assertThat(text()).startsWith("IDENTICAL: q4 gives the same 2 final rows").hasLineCount(1);
    }

    @Test
    void aDifferentRowIsShown() {
        assertThat(judge("--events 7", List.of("1|2", "2|3"), List.of("1|2", "2|4"))).isFalse();
        assertThat(text())
                .startsWith("DIFFERENT: q4")
                .contains("sorted row 1", "rocksdb: 2|3", "hashmap: 2|4");
    }

    @Test
    void aMissingRowIsShown() {
        assertThat(judge("--events 7", List.of("1|2"), List.of("1|2", "1|2"))).isFalse();
        assertThat(text()).contains("1 and 2 rows", "rocksdb: (no more rows)", "hashmap: 1|2");
    }

    @Test
    void bothBeingWrongInTheSameWayIsFoundWhereTheResultIsKnown() {
        List<String> wrong = KNOWN_ROWS_OF_Q4.subList(0, 4);
        assertThat(judge("--events 20000", wrong, wrong)).isFalse();
        assertThat(text())
                .contains("IDENTICAL: q4 gives the same 4 final rows")
                .contains("DIFFERENT: q4 on rocksdb and the known result")
                .contains("DIFFERENT: q4 on hashmap and the known result");
    }

    @Test
    void theKnownResultIsThatOfItsSeedOnly() {
        assertThat(judge("--events 20000", KNOWN_ROWS_OF_Q4, KNOWN_ROWS_OF_Q4)).isTrue();
        assertThat(text()).contains("IDENTICAL: q4 on rocksdb and the known result");
        printed.reset();
        assertThat(judge("--events 20000 --seed 7", List.of("1|2"), List.of("1|2"))).isTrue();
        assertThat(text()).doesNotContain("known result");
    }

    @Test
    void aQueryOfTheClockIsNotCompared() {
        assertThat(judge("--query q12", List.of("1|2"), List.of())).isTrue();
        assertThat(text()).contains("nothing to compare");
    }

    @Test
    void tiesInOrderOfArrivalAreNamedAsAPossibleReason() {
        String reason = "Ties of q19 are in order of arrival";
        assertThat(judge("--query q19 --parallelism 2", List.of("1|2"), List.of("2|1"))).isFalse();
        assertThat(text()).contains("DIFFERENT", reason);
        printed.reset();
        assertThat(judge("--query q19", List.of("1|2"), List.of("2|1"))).isFalse();
        assertThat(text()).contains("DIFFERENT").doesNotContain(reason);
    }

    private boolean judge(String options, List<String> chosen, List<String> reference) {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        return new Verdict(QuickstartOptions.parse(Arrays.asList(options.split(" ", -1))), out)
                .print(outcome(Backend.ROCKSDB, chosen), outcome(Backend.HASHMAP, reference));
    }

    private static Outcome outcome(Backend backend, List<String> rows) {
        return new Outcome(backend, List.of("id"), rows, ResultOracle.sha256(rows), 1, 1);
    }

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
