package io.streamfusion.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** A submitted job, seen through REST. */
public final class FlinkJob {
    private final RestClient rest;
    private final String id;

    /**
     * @param id the job's id in hex
     */
    public FlinkJob(RestClient rest, String id) {
        this.rest = rest;
        this.id = id;
    }

    /** Returns the id in hex. */
    public String id() {
        return id;
    }

    /** Returns the name of the job's state, such as RUNNING. */
    public String state() {
        return rest.get("/jobs/" + id).get("state").asText();
    }

    /**
     * Returns the resource ids of the TaskManagers that run the job; empty unless every subtask of
     * every vertex runs.
     */
    public Set<String> hosts() {
        List<JsonNode> subtasks = state().equals("RUNNING") ? subtasks() : List.of();
        return subtasks.stream().allMatch(task -> task.get("status").asText().equals("RUNNING"))
                ? hosts(subtasks)
                : Set.of();
    }

    /**
     * Returns the resource ids of the TaskManagers that run the job's subtasks, or ran them last.
     */
    public Set<String> subtaskHosts() {
        return hosts(subtasks());
    }

    private static Set<String> hosts(List<JsonNode> subtasks) {
        return subtasks.stream()
                .map(task -> task.get("taskmanager-id").asText())
                .collect(Collectors.toSet());
    }

    private List<JsonNode> subtasks() {
        List<JsonNode> subtasks = new ArrayList<>();
        for (JsonNode vertex : rest.get("/jobs/" + id).get("vertices")) {
            rest.get("/jobs/" + id + "/vertices/" + vertex.get("id").asText())
                    .get("subtasks")
                    .forEach(subtasks::add);
        }
        return subtasks;
    }

    /** Returns the name of the state backend that the job runs on. */
    public String stateBackend() {
        return rest.get("/jobs/" + id + "/checkpoints/config").get("state_backend").asText();
    }

    /**
     * Returns the sum of a metric of state backends over all subtasks, as of late; 0 if none has
     * it.
     */
    public long metric(String name) {
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
    public int completedCheckpoints() {
        return rest.get("/jobs/" + id + "/checkpoints").get("counts").get("completed").asInt();
    }

    /** Returns the stack traces of what made the job restart, the last one first. */
    public List<String> failures() {
        JsonNode entries =
                rest.get("/jobs/" + id + "/exceptions").get("exceptionHistory").get("entries");
        return StreamSupport.stream(entries.spliterator(), false)
                .map(entry -> entry.get("stacktrace").asText())
                .toList();
    }

    /** Waits for a condition; when it does not come true, the error tells the last failure. */
    public void await(String what, Await.Condition condition) {
        Await.that(() -> what + "; last failure: " + lastFailure(), condition);
    }

    private String lastFailure() {
        return failures().stream().findFirst().orElse("none");
    }

    /** Triggers a savepoint and returns its trigger id. */
    public String triggerSavepoint(String format, String directory) {
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
    public String triggerStop(String format, String directory) {
        return rest.post(
                        "/jobs/" + id + "/stop",
                        Map.of("targetDirectory", directory, "drain", false, "formatType", format))
                .get("request-id")
                .asText();
    }

    /** Returns the location of a savepoint, waiting for it; fails when it failed. */
    public String savepoint(String trigger) {
        JsonNode operation = savepointOutcome(trigger);
        if (!operation.has("location")) {
            throw new ClusterException(
                    "The savepoint failed: " + operation.toPrettyString() + "\n" + lastFailure());
        }
        return operation.get("location").asText();
    }

    /** Returns the location of a savepoint, waiting for its end; empty when it failed. */
    public Optional<String> savepointIfAny(String trigger) {
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
