package io.streamfusion.jmh.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** {@code bin/bench-report}: writes the Markdown page of a result file. */
public final class BenchReportMain {
    private BenchReportMain() {}

    /**
     * Takes the result file and the directory for the page, whose plots (files with the result's
     * name and the ending {@code svg}) are shown in it.
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            System.err.println("usage: bench-report RESULT.json DIRECTORY");
            System.exit(2);
            return;
        }
        System.out.println(write(Path.of(arguments[0]), Path.of(arguments[1])));
    }

    static Path write(Path file, Path directory) throws IOException {
        String name = file.getFileName().toString().replaceFirst("\\.json$", "");
        Path page = directory.resolve(name + ".md");
        Files.writeString(
                page,
                new MarkdownReport(BenchResult.read(file), name).write(plots(directory, name)));
        return page;
    }

    private static List<String> plots(Path directory, String name) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith(name + "-") && file.endsWith(".svg"))
                    .sorted()
                    .toList();
        }
    }
}
