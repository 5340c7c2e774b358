package io.streamfusion.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatrixOptionsTest {
    @Test
    void byDefaultEverythingRuns() {
        MatrixOptions options = MatrixOptions.parse(List.of());
        assertThat(options.queries()).hasSize(23);
        assertThat(options.cells()).containsExactly(Cell.values());
        assertThat(options.corpus().events()).isEqualTo(2_000_000);
        assertThat(options.dataSet()).isEmpty();
    }

    @Test
    void slotsAreEnoughForTheParallelism() {
        MatrixOptions options =
                MatrixOptions.parse(List.of("--parallelism", "5", "--task-managers", "2"));
        assertThat(options.cluster().slots()).isEqualTo(3);
    }

    @Test
    void aNameThatIsThereTwiceRunsOnce() {
        assertThat(MatrixOptions.parse(List.of("--queries", "q1,q1")).queries()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--queries q6; there is no query 'q6'",
                "--cells disk; there is no cell 'disk'",
                "--events 0; --events must lie between 1 and",
                "--rate 1001; --rate must lie between 1 and 1000",
                "--runs x; --runs needs a whole number, not 'x'",
                "--sink file; --sink is one of kafka, blackhole, not 'file'",
                "--data-set A --events 5; --events does not go with --data-set",
                "--managed 1g --state-heavy; --managed does not go with --state-heavy",
                "--wrong; there is no option '--wrong'",
                "--runs; --runs needs a value",
            })
    void whatIsWrongIsNamed(String arguments, String message) {
        assertThatThrownBy(() -> MatrixOptions.parse(List.of(arguments.split(" ", -1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
