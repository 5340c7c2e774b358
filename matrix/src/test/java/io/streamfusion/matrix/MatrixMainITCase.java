package io.streamfusion.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The command as a whole: what goes wrong is said in one line, nothing runs on, samples stay. */
class MatrixMainITCase {
    private static final List<String> SMALL =
            List.of(
                    "--data-set",
                    "A",
                    "--queries",
                    "q2,q15",
                    "--cells",
                    "memory-off",
                    "--runs",
                    "1",
                    "--warmup",
                    "0",
                    "--parallelism",
                    "2",
                    "--tm-memory",
                    "1500m",
                    "--managed",
                    "256m");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path work;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void whatDoesNotExistIsNamed() {
        assertThat(run("--queries", "q0,q6")).isEqualTo(2);
        assertThat(text(err)).startsWith("bench-matrix: there is no query 'q6'").hasLineCount(1);
        err.reset();
        assertThat(run("--cells", "disk")).isEqualTo(2);
        assertThat(text(err)).startsWith("bench-matrix: there is no cell 'disk'").hasLineCount(1);
        assertThat(work).isEmptyDirectory();
    }

    @Test
    void aPortThatIsInUseIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            String port = Integer.toString(taken.getLocalPort());
            assertThat(run("--kafka-port", port)).isEqualTo(1);
            assertThat(text(err))
                    .startsWith("bench-matrix: port " + port + " is in use")
                    .hasLineCount(1);
        }
        assertThat(processes()).isEmpty();
    }

    @Test
    void aDiskThatIsTooSmallIsNamed() {
        List<String> arguments =
                List.of("--events", Long.toString(1L << 40), "--work", work.toString());
        assertThat(MatrixMain.run(arguments, outStream(), errStream())).isEqualTo(1);
        assertThat(text(err)).startsWith("bench-matrix: the disk of ").hasLineCount(1);
    }

    /**
     * The broker is killed when the first pair has its verdict, while the second query runs. A
     * further run goes on behind the first pair.
     */
    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aBrokerThatDiesEndsTheRunWhichCanBeResumed() throws IOException {
        List<String> killed = new ArrayList<>();
        PrintStream killer =
                new PrintStream(out, true, StandardCharsets.UTF_8) {
                    @Override
                    public PrintStream printf(Locale locale, String format, Object... arguments) {
                        if (format.contains("ratio") && killed.isEmpty()) {
                            broker().destroyForcibly();
                            killed.add(format);
                        }
                        return super.printf(locale, format, arguments);
                    }
                };
        assertThat(MatrixMain.run(arguments(), killer, errStream())).isEqualTo(1);
        assertThat(text(err))
                .startsWith("bench-matrix: the Kafka broker ended by itself with 137")
                .hasLineCount(1);
        assertThat(killed).hasSize(1);
        assertThat(processes()).isEmpty();
        assertThat(linesOfSamples()).filteredOn(line -> line.startsWith("{\"sample\"")).hasSize(2);

        err.reset();
        List<String> other = new ArrayList<>(arguments());
        other.addAll(List.of("--managed", "128m", "--resume"));
        assertThat(MatrixMain.run(other, outStream(), errStream())).isEqualTo(1);
        assertThat(text(err)).contains("configuration.managedMemory was \"256m\" and is \"128m\"");

        out.reset();
        err.reset();
        assertThat(run("--resume")).as(text(err)).isZero();
        assertThat(text(out))
                .contains("20,000 events are there already", "all outputs are right")
                .doesNotContain(" q2 ");
        JsonNode result = result();
        assertThat(result.get("samples")).hasSize(4);
        assertThat(result.get("verdicts"))
                .hasSize(2)
                .allSatisfy(verdict -> assertThat(verdict.get("right").asBoolean()).isTrue());
        assertThat(result.get("samples"))
                .allSatisfy(
                        sample -> {
                            assertThat(sample.get("millis").asLong()).isPositive();
                            assertThat(sample.at("/checkpoints/completed").asInt()).isPositive();
                        });
        assertThat(result.get("plans"))
                .as("of two queries, each side's")
                .hasSize(4)
                .allSatisfy(
                        plan -> {
                            boolean ours = plan.at("/of/0/side").asText().equals("ours");
                            String text = plan.get("text").asText();
                            assertThat(text.contains("== StreamFusion ==")).isEqualTo(ours);
                            assertThat(text).doesNotContain("  on Flink");
                        });
        assertThat(processes()).isEmpty();
    }

    private int run(String... more) {
        List<String> all = new ArrayList<>(arguments());
        all.addAll(List.of(more));
        return MatrixMain.run(all, outStream(), errStream());
    }

    private List<String> arguments() {
        return Stream.concat(SMALL.stream(), Stream.of("--work", work.toString())).toList();
    }

    private PrintStream outStream() {
        return new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    private PrintStream errStream() {
        return new PrintStream(err, true, StandardCharsets.UTF_8);
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static List<ProcessHandle> processes() {
        return ProcessHandle.current().descendants().filter(ProcessHandle::isAlive).toList();
    }

    private static ProcessHandle broker() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains(" kafka.Kafka "))
                .findFirst()
                .orElseThrow();
    }

    private List<String> linesOfSamples() throws IOException {
        return Files.readAllLines(only("samples.jsonl"));
    }

    private JsonNode result() throws IOException {
        return new ObjectMapper().readTree(only("-matrix.json").toFile());
    }

    private Path only(String ending) throws IOException {
        try (Stream<Path> files = Files.walk(work.resolve("runs"))) {
            List<Path> found = files.filter(file -> file.toString().endsWith(ending)).toList();
            assertThat(found).hasSize(1);
            return found.getFirst();
        }
    }
}
