package io.streamfusion.state.paimon;

import io.streamfusion.state.memory.ConfigurationPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the page of the user guide with the options of {@code streamfusion-paimon}, from the
 * options themselves. Run {@link #main} with the path of the page after changing an option.
 */
public final class PaimonConfigurationPage {
    private static final String HEAD =
            """
            # Configuration of `streamfusion-paimon`

            Written from `PaimonOptions`; do not edit.

            Besides these options the backend follows those of `configuration.md`, except
            `state.backend.streamfusion.checkpoint.compression`, and Flink's own. Checkpoint storage
            has to be a file system; Paimon's Flink connector (`paimon-flink-2.0-2.0.0.jar`) has to
            be in `lib/`. The backend needs no Hadoop classes; who reads the tables with Paimon's
            own Parquet reader does (`hadoop-client-api` and `hadoop-client-runtime`, 3.4.3 or newer
            on Java 25).

            | Option | Default | Type | Meaning |
            |---|---|---|---|
            """;

    private PaimonConfigurationPage() {}

    /** Writes the page to {@code args[0]}. */
    public static void main(String[] args) throws IOException {
        Files.writeString(Path.of(args[0]), render());
    }

    static String render() {
        return ConfigurationPage.render(HEAD, PaimonOptions.class);
    }
}
