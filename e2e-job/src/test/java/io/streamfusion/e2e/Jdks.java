package io.streamfusion.e2e;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** Looks for JDKs where installers put them. */
final class Jdks {
    private Jdks() {}

    /** Returns a JDK of this feature release: named by {@code JAVA<release>_HOME}, or installed. */
    static Optional<Path> find(int release) throws IOException {
        for (Path candidate : candidates(release)) {
            if (Files.isExecutable(candidate.resolve("bin/java"))
                    && versionOf(candidate).matches(release + "(\\..*)?")) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    private static List<Path> candidates(int release) throws IOException {
        List<Path> candidates = new ArrayList<>();
        Optional.ofNullable(System.getenv("JAVA" + release + "_HOME"))
                .map(Path::of)
                .ifPresent(candidates::add);
        List<Path> folders =
                List.of(
                        Path.of("/usr/lib/jvm"),
                        Path.of("/opt"),
                        Path.of(System.getProperty("user.home"), ".sdkman/candidates/java"),
                        Path.of(System.getProperty("user.home"), ".jdks"),
                        Path.of("/Library/Java/JavaVirtualMachines"));
        for (Path folder : folders) {
            if (Files.isDirectory(folder)) {
                try (Stream<Path> entries = Files.list(folder)) {
                    entries.sorted()
                            .flatMap(entry -> Stream.of(entry, entry.resolve("Contents/Home")))
                            .forEach(candidates::add);
                }
            }
        }
        return candidates;
    }

    /** Reads the version from the file that every JDK carries; empty text when there is none. */
    private static String versionOf(Path jdk) throws IOException {
        Path release = jdk.resolve("release");
        if (!Files.isReadable(release)) {
            return "";
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(release)) {
            properties.load(reader);
        }
        return properties.getProperty("JAVA_VERSION", "").replace("\"", "");
    }
}
