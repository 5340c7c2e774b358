package io.streamfusion.matrix.job;

import io.streamfusion.matrix.verify.SinkSchema;
import java.util.OptionalLong;

/**
 * A job that has finished.
 *
 * @param jobId in hex
 * @param millis from before its submission until the JobManager had it as FINISHED, after its last
 *     checkpoint and the commit of its last transaction
 * @param peakBytes sum of the greatest resident sets of the TaskManagers since its submission;
 *     empty where the system does not say
 * @param hosts number of TaskManagers that had subtasks
 * @param plan what EXPLAIN says of the statement
 * @param schema of its sink
 */
public record JobOutcome(
        String jobId,
        long millis,
        CheckpointTotals checkpoints,
        OptionalLong peakBytes,
        int hosts,
        String plan,
        SinkSchema schema) {}
