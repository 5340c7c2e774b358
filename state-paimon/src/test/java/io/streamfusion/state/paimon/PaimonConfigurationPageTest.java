package io.streamfusion.state.paimon;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page of the user guide says what the code says. */
class PaimonConfigurationPageTest {
    private static final Path PAGE = Path.of("docs", "user-guide", "configuration-paimon.md");

    @Test
    void isUpToDate() throws Exception {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("state-paimon"))) {
            root = root.getParent();
        }
        assertThat(Files.readString(root.resolve(PAGE)))
                .as("written by %s", PaimonConfigurationPage.class.getName())
                .isEqualTo(PaimonConfigurationPage.render());
    }
}
