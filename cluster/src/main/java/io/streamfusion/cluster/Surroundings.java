package io.streamfusion.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** What a result says of the machine, the JVM and the code that was measured. */
public final class Surroundings {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    private Surroundings() {}

    /**
     * Adds the objects {@code java}, {@code machine}, {@code git} and {@code library}. Git is asked
     * about the working directory.
     */
    public static void describe(ObjectNode environment) throws IOException, InterruptedException {
        ObjectNode java = environment.putObject("java");
        java.put("version", Runtime.version().toString());
        java.put("vm", System.getProperty("java.vm.name"));
        java.put("vendor", System.getProperty("java.vendor"));

        ObjectNode machine = environment.putObject("machine");
        machine.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("architecture", System.getProperty("os.arch"));
        machine.put("processor", processor());
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("memoryBytes", memoryBytes());

        ObjectNode git = environment.putObject("git");
        git.put("commit", output("git", "rev-parse", "HEAD"));
        git.put("changedFiles", output("git", "status", "--porcelain").lines().count());

        environment.putObject("library").put("sha256", librarySha256());
    }

    /** Load average of the last minute; negative where the system has none. */
    public static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static long memoryBytes() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : -1;
    }

    private static String processor() throws IOException {
        if (!Files.isReadable(CPU_INFO)) {
            return "unknown";
        }
        try (Stream<String> lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        }
    }

    /** Of the native library on the class path. */
    private static String librarySha256() throws IOException {
        String platform = platform();
        String extension = platform.startsWith("macos") ? "dylib" : "so";
        String name = "/io/streamfusion/native/" + platform + "/libstreamfusion." + extension;
        try (InputStream in = Surroundings.class.getResourceAsStream(name + ".sha256")) {
            return in == null
                    ? "none"
                    : new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
        }
    }

    private static String platform() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (os.startsWith("mac") ? "macos" : os)
                + "-"
                + (arch.equals("amd64") ? "x86_64" : arch);
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? text.strip() : "unknown";
    }
}
