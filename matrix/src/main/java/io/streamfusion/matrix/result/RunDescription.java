package io.streamfusion.matrix.result;

import io.streamfusion.cluster.Surroundings;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** What a run is: its configuration, and the versions, code and machine that it measures. */
public final class RunDescription {
    private RunDescription() {}

    /**
     * Describes this build on this machine.
     *
     * @param configuration what the user has chosen
     */
    public static ObjectNode of(ObjectNode configuration) throws IOException, InterruptedException {
        Properties build = new Properties();
        try (InputStream in = RunDescription.class.getResourceAsStream("build.properties")) {
            build.load(in);
        }
        ObjectNode run = new ObjectMapper().createObjectNode();
        run.set("configuration", configuration);
        ObjectNode versions = run.putObject("versions");
        build.stringPropertyNames().stream()
                .filter(name -> !name.startsWith("native."))
                .sorted()
                .forEach(name -> versions.put(name, build.getProperty(name)));
        Surroundings.describe(run);
        ((ObjectNode) run.get("library")).put("profile", build.getProperty("native.profile"));
        return run;
    }
}
