package io.streamfusion.e2e;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** A submitted job, seen through REST. */
final class FlinkJob {
    private final RestClient rest;
    private final String id;

    FlinkJob(RestClient rest, String id) {
        this.rest = rest;
        this.id = id;
    }

    String id() {
        return id;
    }

    String state() {
        return rest.get("/jobs/" + id).get("state").asText();
    }

    /**
     * Returns the resource ids of the TaskManagers that run the job; empty unless every subtask of
     * every vertex runs.
     */
    Set<String> hosts() {
        JsonNode job = rest.get("/jobs/" + id);
        Set<String> hosts = new HashSet<>();
        if (!job.get("state").asText().equals("RUNNING")) {
            return hosts;
        }
        for (JsonNode vertex : job.get("vertices")) {
            JsonNode detail = rest.get("/jobs/" + id + "/vertices/" + vertex.get("id").asText());
            for (JsonNode subtask : detail.get("subtasks")) {
                if (!subtask.get("status").asText().equals("RUNNING")) {
                    return Set.of();
                }
                hosts.add(subtask.get("taskmanager-id").asText());
            }
        }
        return hosts;
    }

    /** Returns the name of the state backend that the job runs on. */
    String stateBackend() {
        return rest.get("/jobs/" + id + "/checkpoints/config").get("state_backend").asText();
    }

    /**
     * Returns the sum of a metric of state backends over all subtasks, as of late; 0 if none has
     * it.
     */
    long metric(String name) {
        long sum = 0;
        for (JsonNode vertex : rest.get("/jobs/" + id).get("vertices")) {
            String metrics =
                    "/jobs/" + id + "/vertices/" + vertex.get("id").asText() + "/subtasks/metrics";
            for (JsonNode metric : rest.get(metrics)) {
                String full = metric.get("id").asText();
                if (full.endsWith(".streamfusion." + name)) {
                    sum += rest.get(metrics + "?agg=sum&get=" + full).get(0).get("sum").asLong();
                }
            }
        }
        return sum;
    }

    /** Returns how many checkpoints have completed since the job was submitted. */
    int completedCheckpoints() {
        return rest.get("/jobs/" + id + "/checkpoints").get("counts").get("completed").asInt();
    }

    /** Returns the stack traces of what made the job restart, the last one first. */
    List<String> failures() {
        JsonNode entries =
                rest.get("/jobs/" + id + "/exceptions").get("exceptionHistory").get("entries");
        return StreamSupport.stream(entries.spliterator(), false)
                .map(entry -> entry.get("stacktrace").asText())
                .toList();
    }

    /** Waits for a condition; when it does not come true, the error tells the last failure. */
    void await(String what, Await.Condition condition) {
        Await.that(() -> what + "; last failure: " + lastFailure(), condition);
    }

    private String lastFailure() {
        return failures().stream().findFirst().orElse("none");
    }

    /** Triggers a savepoint and returns its trigger id. */
    String triggerSavepoint(String format, String directory) {
        return rest.post(
                        "/jobs/" + id + "/savepoints",
                        Map.of(
                                "target-directory",
                                directory,
                                "cancel-job",
                                false,
                                "formatType",
                                format))
                .get("request-id")
                .asText();
    }

    /** Triggers stop-with-savepoint, without draining, and returns its trigger id. */
    String triggerStop(String format, String directory) {
        return rest.post(
                        "/jobs/" + id + "/stop",
                        Map.of("targetDirectory", directory, "drain", false, "formatType", format))
                .get("request-id")
                .asText();
    }

    /** Returns the location of a savepoint, waiting for it; fails when it failed. */
    String savepoint(String trigger) {
        JsonNode operation = savepointOutcome(trigger);
        if (!operation.has("location")) {
            throw new AssertionError(
                    "The savepoint failed: " + operation.toPrettyString() + "\n" + lastFailure());
        }
        return operation.get("location").asText();
    }

    /** Returns the location of a savepoint, waiting for its end; empty when it failed. */
    Optional<String> savepointIfAny(String trigger) {
        return Optional.ofNullable(savepointOutcome(trigger).get("location")).map(JsonNode::asText);
    }

    private JsonNode savepointOutcome(String trigger) {
        return Await.answer(
                () -> "end of savepoint " + trigger,
                () -> {
                    JsonNode status = rest.get("/jobs/" + id + "/savepoints/" + trigger);
                    return status.get("status").get("id").asText().equals("COMPLETED")
                            ? Optional.of(status.get("operation"))
                            : Optional.empty();
                });
    }
}
