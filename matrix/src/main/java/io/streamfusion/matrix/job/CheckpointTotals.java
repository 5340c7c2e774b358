package io.streamfusion.matrix.job;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * The checkpoints of one job.
 *
 * @param completed how many
 * @param failed how many
 * @param millis end to end, of each completed one in order, the oldest first
 * @param writtenBytes of each completed one: what it wrote
 * @param lastStateBytes size of all state in the last one
 */
public record CheckpointTotals(
        int completed,
        int failed,
        List<Long> millis,
        List<Long> writtenBytes,
        long lastStateBytes) {

    /** From the answer to {@code /jobs/ID/checkpoints}. */
    static CheckpointTotals of(JsonNode statistics) {
        List<Long> millis = new ArrayList<>();
        List<Long> bytes = new ArrayList<>();
        long last = 0;
        List<JsonNode> history = new ArrayList<>();
        statistics.get("history").forEach(history::add);
        for (JsonNode checkpoint : history.reversed()) { // it begins with the last one
            if (checkpoint.get("status").asText().equals("COMPLETED")) {
                millis.add(checkpoint.get("end_to_end_duration").asLong());
                bytes.add(checkpoint.get("checkpointed_size").asLong());
                last = checkpoint.get("state_size").asLong();
            }
        }
        JsonNode counts = statistics.get("counts");
        return new CheckpointTotals(
                counts.get("completed").asInt(), counts.get("failed").asInt(), millis, bytes, last);
    }
}
