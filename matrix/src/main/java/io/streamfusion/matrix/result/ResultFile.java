package io.streamfusion.matrix.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.SerializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** The one file of a whole run, from which its page is made. */
public final class ResultFile {
    private static final int FORMAT = 1;

    private ResultFile() {}

    /**
     * Writes everything that the samples' file has. A sample whose pair was not completed, because
     * the run was interrupted, is not among the samples.
     */
    public static void write(SampleFile samples, Path file) throws IOException {
        ObjectMapper json = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        ObjectNode root = json.createObjectNode();
        root.put("benchmark", "nexmark-matrix");
        root.put("format", FORMAT);
        root.put("finished", Instant.now().toString());
        root.setAll((ObjectNode) samples.run());
        List<JsonNode> verdicts = samples.all("verdict");
        Set<String> pairs =
                verdicts.stream()
                        .map(verdict -> verdict.get("pair").asText())
                        .collect(Collectors.toSet());
        ArrayNode kept = root.putArray("samples");
        int abandoned = 0;
        for (JsonNode sample : samples.all("sample")) {
            if (pairs.contains(sample.get("pair").asText())) {
                kept.add(sample);
            } else {
                abandoned++;
            }
        }
        root.put("abandonedSamples", abandoned);
        root.putArray("verdicts").addAll(verdicts);
        root.putArray("failures").addAll(samples.all("failure"));
        root.set("plans", plans(samples, json));
        Path written = file.resolveSibling(file.getFileName() + ".new");
        json.writeValue(written.toFile(), root);
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Each text once, with those that have run it. */
    private static ArrayNode plans(SampleFile samples, ObjectMapper json) {
        Map<String, ArrayNode> users = new LinkedHashMap<>();
        for (JsonNode plan : samples.all("plan")) {
            ObjectNode user = plan.deepCopy();
            String text = user.remove("text").asText();
            users.computeIfAbsent(text, t -> json.createArrayNode()).add(user);
        }
        ArrayNode plans = json.createArrayNode();
        users.forEach((text, of) -> plans.addObject().put("text", text).set("of", of));
        return plans;
    }
}
