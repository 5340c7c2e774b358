package io.streamfusion.sql.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page on operators says what the code says. */
class OperatorsPageTest {
    private static final Path PAGE = Path.of("docs", "operators", "README.md");

    @Test
    void isUpToDate() throws Exception {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("operators-planner"))) {
            root = root.getParent();
        }
        assertThat(Files.readString(root.resolve(PAGE)))
                .as("written by %s", OperatorsPage.class.getName())
                .isEqualTo(OperatorsPage.render());
    }
}
