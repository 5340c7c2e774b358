package io.streamfusion.jmh.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.jmh.state.RowForm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchArgumentsTest {
    private static final Path RESULT = Path.of("/results/one.json");

    @Test
    void defaultsAreTheFullRun() {
        BenchArguments arguments = parse();

        assertThat(arguments.rounds()).isEqualTo(3);
        assertThat(arguments.backends())
                .containsExactly(
                        "hashmap",
                        "rocksdb",
                        "forst",
                        "streamfusion-memory",
                        "streamfusion-paimon");
        assertThat(arguments.result()).isEqualTo(RESULT);
        assertThat(arguments.cases()).isEqualTo(BenchCatalogue.cases(Preset.FULL));
    }

    @Test
    void onlyTakesGroupsAndCases() {
        assertThat(parse("--only", "list,value-1m", "--quick").cases())
                .extracting(BenchCase::id)
                .containsExactly("value-1m", "list-add", "list-get");
    }

    @Test
    void shortChangesTheEffortOnly() {
        BenchArguments arguments = parse("--short");

        assertThat(arguments.rounds()).isEqualTo(1);
        assertThat(arguments.heap()).isEqualTo(parse().heap());
        assertThat(arguments.cases())
                .usingRecursiveComparison()
                .ignoringFields("effort")
                .isEqualTo(parse().cases());
    }

    @Test
    void oneRoundOfShortRowsMeasuresForSixMinutes() {
        BenchArguments arguments = parse("--short", "--only", "value,map,list,timer");

        double seconds =
                arguments.cases().stream()
                        .map(BenchCase::effort)
                        .mapToDouble(
                                effort ->
                                        (effort.warmups() + effort.iterations()) * effort.seconds())
                        .sum();

        // Beside it: start, and filling of the states.
        assertThat(seconds * arguments.backends().size()).isLessThanOrEqualTo(6 * 60);
    }

    @Test
    void spillingStateIsFourTimesItsManagedMemory() {
        assertThat(parse("--only", "spill").cases())
                .isNotEmpty()
                .allSatisfy(
                        one -> {
                            long keys = Long.parseLong(one.parameters().get("keys"));
                            int payload = Integer.parseInt(one.parameters().get("payload"));
                            long state = keys * new RowForm(payload).entryBytes();
                            assertThat((double) state / (one.managedMib() << 20))
                                    .isBetween(4.0, 4.01);
                        });
    }

    @Test
    void wrongOptionsAreNamed() {
        assertThatThrownBy(() -> parse("--quick", "--short")).hasMessageContaining("--short");
        assertThatThrownBy(() -> parse("--only", "maps"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown maps")
                .hasMessageContaining("map-get");
        assertThatThrownBy(() -> parse("--rounds", "0")).hasMessageContaining("--rounds");
        assertThatThrownBy(() -> parse("--rounds")).hasMessageContaining("--rounds needs a value");
        assertThatThrownBy(() -> parse("--fast", "yes")).hasMessageContaining("--fast");
    }

    private static BenchArguments parse(String... arguments) {
        return BenchArguments.parse(Suite.STATE, List.of(arguments), RESULT);
    }
}
