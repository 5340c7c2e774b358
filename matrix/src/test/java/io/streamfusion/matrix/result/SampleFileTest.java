package io.streamfusion.matrix.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.matrix.MatrixException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleFileTest {
    private final ObjectMapper json = new ObjectMapper();

    @TempDir private Path folder;
    private Path file;

    @BeforeEach
    void begin() throws IOException {
        file = folder.resolve("run/samples.jsonl");
        try (SampleFile samples = SampleFile.create(file, run(42))) {
            samples.add("sample", sample("pair", 1));
            samples.add("sample", sample("pair", 2));
            samples.add("verdict", sample("pair", 0));
            samples.add("sample", sample("interrupted", 3));
        }
    }

    @Test
    void goesOnBehindTheLastWholeLine() throws IOException {
        Files.writeString(file, "{\"sample\":{\"pa", StandardOpenOption.APPEND);
        try (SampleFile resumed = SampleFile.resume(file, run(42))) {
            assertThat(resumed.all("sample")).hasSize(3);
            resumed.add("sample", sample("more", 4));
        }
        try (SampleFile again = SampleFile.resume(file, run(42))) {
            assertThat(again.all("sample")).hasSize(4);
            assertThat(again.all("verdict")).hasSize(1);
        }
    }

    @Test
    void doesNotGoOnWithAnotherConfiguration() throws IOException {
        byte[] before = Files.readAllBytes(file);
        assertThatThrownBy(() -> SampleFile.resume(file, run(43)))
                .isInstanceOf(MatrixException.class)
                .hasMessageContaining("configuration.seed was 42 and is 43");
        assertThat(file).hasBinaryContent(before);
    }

    @Test
    void aResultHasNoSampleOfAnInterruptedPair() throws IOException {
        Path result = folder.resolve("result.json");
        try (SampleFile samples = SampleFile.resume(file, run(42))) {
            ResultFile.write(samples, result);
        }
        JsonNode written = json.readTree(result.toFile());
        assertThat(written.get("samples")).hasSize(2);
        assertThat(written.get("abandonedSamples").asInt()).isEqualTo(1);
        assertThat(written.at("/configuration/seed").asInt()).isEqualTo(42);
    }

    private ObjectNode run(long seed) {
        ObjectNode run = json.createObjectNode();
        run.putObject("configuration").put("seed", seed);
        return run;
    }

    private ObjectNode sample(String pair, int millis) {
        return json.createObjectNode().put("pair", pair).put("millis", millis);
    }
}
