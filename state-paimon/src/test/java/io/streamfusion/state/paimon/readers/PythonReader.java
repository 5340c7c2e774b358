package io.streamfusion.state.paimon.readers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** Reads tables in a process of Python, whose packages are installed on first use. */
final class PythonReader {
    private static final Duration INSTALLATION = Duration.ofMinutes(20);
    private static final Duration READ = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Path SCRIPTS = Path.of("state-paimon", "src", "test", "python");

    /** A library that the script knows. */
    enum Library {
        PYPAIMON("pypaimon"),
        PYPAIMON_RUST("pypaimon-rust");

        private final String option;

        Library(String option) {
            this.option = option;
        }
    }

    private final Path root;
    private final Path work;
    private final String packages;

    /**
     * @param work folder for what the processes print
     */
    PythonReader(Path work) throws Exception {
        this.work = work;
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(SCRIPTS))) {
            folder = folder.getParent();
        }
        root = folder;
        packages =
                run(
                                INSTALLATION,
                                Map.of(),
                                root.resolve("bin").resolve("python-packages").toString(),
                                root.resolve(SCRIPTS).resolve("requirements.txt").toString())
                        .get(0);
    }

    /** The rows of a table as of a snapshot. */
    TableRows read(Library library, Path table, long snapshot) throws Exception {
        List<String> lines =
                run(
                        READ,
                        Map.of("PYTHONPATH", packages, "PYTHONIOENCODING", "utf-8"),
                        "python3",
                        root.resolve(SCRIPTS).resolve("read_table.py").toString(),
                        library.option,
                        table.toString(),
                        Long.toString(snapshot));
        ObjectMapper json = new ObjectMapper();
        List<Map<String, String>> rows = new ArrayList<>();
        for (String line : lines) {
            Map<String, String> row = new TreeMap<>();
            for (Map.Entry<String, JsonNode> column : json.readTree(line).properties()) {
                row.put(column.getKey(), column.getValue().asText());
            }
            rows.add(row);
        }
        return TableRows.of(rows);
    }

    /** The lines that a command prints; fails with what it complains about. */
    private List<String> run(Duration limit, Map<String, String> environment, String... command)
            throws Exception {
        File output = Files.createTempFile(work, "out", ".txt").toFile();
        File errors = Files.createTempFile(work, "err", ".txt").toFile();
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        Process process = builder.redirectOutput(output).redirectError(errors).start();
        try {
            if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException(
                        String.join(" ", command) + " takes longer than " + limit + ".");
            }
        } finally {
            // The script itself has a moment to clean up.
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        if (process.exitValue() != 0) {
            throw new IOException(
                    String.join(" ", command)
                            + " ends with "
                            + process.exitValue()
                            + ":\n"
                            + Files.readString(errors.toPath()));
        }
        return Files.readAllLines(output.toPath());
    }
}
