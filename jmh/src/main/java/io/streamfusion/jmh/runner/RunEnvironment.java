package io.streamfusion.jmh.runner;

import io.streamfusion.cluster.Surroundings;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** What a result file says about the machine, the versions and the code that was measured. */
final class RunEnvironment {
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

        Surroundings.describe(environment);
        ((ObjectNode) environment.get("library"))
                .put("profile", build.getProperty("native.profile"));
        return environment;
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

    private static byte[] resource(String name) {
        try (InputStream in = RunEnvironment.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
