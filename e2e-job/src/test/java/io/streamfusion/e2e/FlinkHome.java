package io.streamfusion.e2e;

import io.streamfusion.cluster.FlinkHomes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Places of the build: the Flink home with our jar, the user jar, the JDKs.
 *
 * <p>{@code -Dsf.e2e.home=DIR} takes a Flink home that exists instead of assembling one.
 */
final class FlinkHome {
    private static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();

    private static Path home;
    private static Path homeWithPaimon;

    private FlinkHome() {}

    /** Returns the build folder of this module. */
    static Path target() {
        return MODULE.resolve("target");
    }

    /**
     * Assembles a Flink home with {@code bin/flink-home}, once, or returns the one that is given.
     */
    static synchronized Path get() throws IOException, InterruptedException {
        if (home == null) {
            String given = System.getProperty("sf.e2e.home");
            home = given == null ? assemble("flink-home") : Path.of(given);
        }
        return home;
    }

    /** The same with what our Paimon backend and queries on its state need; always assembled. */
    static synchronized Path withPaimon() throws IOException, InterruptedException {
        if (homeWithPaimon == null) {
            homeWithPaimon = assemble("flink-home-paimon", "--paimon");
        }
        return homeWithPaimon;
    }

    private static Path assemble(String name, String... options)
            throws IOException, InterruptedException {
        return FlinkHomes.assemble(MODULE.resolve(".."), target().resolve(name), options);
    }

    /** Returns the jar with {@link E2eJob}, which Maven has packaged before this phase. */
    static Path userJar() throws IOException {
        try (Stream<Path> files = Files.list(target())) {
            List<Path> jars =
                    files.filter(
                                    file ->
                                            file.getFileName()
                                                    .toString()
                                                    .matches("e2e-job-[0-9.]+(-SNAPSHOT)?\\.jar"))
                            .toList();
            if (jars.size() != 1) {
                throw new IOException("Expected one user jar in " + target() + ", found " + jars);
            }
            return jars.get(0);
        }
    }
}
