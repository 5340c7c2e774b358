package io.streamfusion.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Flink homes as {@code bin/flink-home} assembles them. */
public final class FlinkHomes {
    private FlinkHomes() {}

    /**
     * Runs the script; its output goes to a log file beside the home. The first run on a machine
     * downloads Flink.
     *
     * @param root of the project
     * @param home must not exist, be empty, or be a home made before
     * @param options of the script
     * @throws IOException with the output of a script that failed
     */
    public static Path assemble(Path root, Path home, String... options)
            throws IOException, InterruptedException {
        Path log = home.resolveSibling(home.getFileName() + ".log");
        List<String> command = new ArrayList<>();
        command.add(root.resolve("bin/flink-home").toString());
        command.addAll(List.of(options));
        command.add(home.toString());
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        int code = builder.start().waitFor();
        if (code != 0) {
            throw new IOException(
                    "bin/flink-home ended with %d:\n%s".formatted(code, Files.readString(log)));
        }
        return home;
    }
}
