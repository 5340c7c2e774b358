package io.streamfusion.matrix.job;

import io.streamfusion.cluster.FlinkHomes;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the build has made, as clusters and broker need it.
 *
 * @param root of the project
 * @param home where a Flink home with our jar and Paimon's is, or will be
 */
public record FlinkBuild(Path root, Path home) {

    /** Makes the home, anew when there is one. */
    public void assembleHome() throws IOException, InterruptedException {
        FlinkHomes.assemble(root, home, "--paimon");
    }

    /** File with the class path of the broker. */
    public Path brokerClassPath() {
        return root.resolve("matrix/broker/target/class-path");
    }

    /** Connectors and functions of the queries. */
    List<Path> jarsOfJobs() throws IOException {
        return List.of(
                only(root.resolve("nexmark/target"), "nexmark-[0-9.]+(-SNAPSHOT)?\\.jar"),
                connector());
    }

    /** The one that the client has, so that both have the same. */
    private static Path connector() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> entry.contains("flink-sql-connector-kafka-"))
                .map(Path::of)
                .findFirst()
                .orElseThrow();
    }

    private static Path only(Path folder, String name) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> found =
                    files.filter(file -> file.getFileName().toString().matches(name)).toList();
            if (found.size() != 1) {
                throw new IOException(
                        "expected one %s in %s, found %s".formatted(name, folder, found));
            }
            return found.getFirst();
        }
    }
}
