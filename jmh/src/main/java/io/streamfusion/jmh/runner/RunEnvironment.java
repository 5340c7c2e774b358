package io.streamfusion.jmh.runner;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** What a result file says about the machine, the versions and the code that was measured. */
final class RunEnvironment {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    private RunEnvironment() {}

    /** Flags that a forked JVM needs: those of the project's tests. */
    static List<String> jvmFlags() throws IOException {
        String flags = new String(resource("jvm-flags.txt"), StandardCharsets.UTF_8);
        return Arrays.stream(flags.strip().split("\\s+")).toList();
    }

    /** Fills in everything but the results. */
    static ObjectNode describe(ObjectMapper json) throws IOException, InterruptedException {
        ObjectNode environment = json.createObjectNode();
        Properties build = new Properties();
        try (InputStream in = RunEnvironment.class.getResourceAsStream("build.properties")) {
            build.load(in);
        }
        ObjectNode versions = environment.putObject("versions");
        build.stringPropertyNames().stream()
                .filter(name -> !name.startsWith("native."))
                .sorted()
                .forEach(name -> versions.put(name, build.getProperty(name)));
        libraryVersions().forEach(versions::put);

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

        ObjectNode library = environment.putObject("library");
        library.put("profile", build.getProperty("native.profile"));
        library.put("sha256", librarySha256());
        return environment;
    }

    /** Load average of the last minute; negative where the system has none. */
    static double load() {
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

    /** Versions of what the backends stand on, from the names of the jars. */
    private static Map<String, String> libraryVersions() {
        Map<String, String> versions = new TreeMap<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            String name = entry.substring(entry.lastIndexOf('/') + 1);
            for (String store : List.of("frocksdbjni", "forstjni", "paimon-flink-2.0")) {
                if (name.startsWith(store + "-")) {
                    versions.put(store, name.replace(store + "-", "").replace(".jar", ""));
                }
            }
        }
        return versions;
    }

    private static String librarySha256() throws IOException {
        String platform = platform();
        String extension = platform.startsWith("macos") ? "dylib" : "so";
        String name = "/io/streamfusion/native/" + platform + "/libstreamfusion." + extension;
        try (InputStream in = RunEnvironment.class.getResourceAsStream(name + ".sha256")) {
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

    private static byte[] resource(String name) {
        try (InputStream in = RunEnvironment.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
