package io.streamfusion.jmh.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
                .containsExactly("hashmap", "rocksdb", "forst", "streamfusion-memory");
        assertThat(arguments.result()).isEqualTo(RESULT);
        assertThat(arguments.cases()).isEqualTo(BenchCatalogue.cases(false));
    }

    @Test
    void onlyTakesGroupsAndCases() {
        assertThat(parse("--only", "list,value-1m", "--quick").cases())
                .extracting(BenchCase::id)
                .containsExactly("value-1m", "list-add", "list-get");
    }

    @Test
    void wrongOptionsAreNamed() {
        assertThatThrownBy(() -> parse("--only", "maps"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown maps")
                .hasMessageContaining("map-get");
        assertThatThrownBy(() -> parse("--rounds", "0")).hasMessageContaining("--rounds");
        assertThatThrownBy(() -> parse("--rounds")).hasMessageContaining("--rounds needs a value");
        assertThatThrownBy(() -> parse("--fast", "yes")).hasMessageContaining("--fast");
    }

    private static BenchArguments parse(String... arguments) {
        return BenchArguments.parse(List.of(arguments), RESULT);
    }
}
