package io.streamfusion.state.paimon.commit;

import io.streamfusion.state.memory.registry.RegisteredState;
import io.streamfusion.state.memory.registry.StateRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;

/**
 * Whose state a table holds; becomes properties of its snapshots.
 *
 * @param job identifier of the job
 * @param jobName name of the job's task
 * @param operator identifier of the operator
 * @param subtask index of the subtask, from 0
 * @param parallelism number of subtasks
 */
public record TableOwner(
        String job, String jobName, String operator, int subtask, int parallelism) {
    private static final String PREFIX = "streamfusion.";

    /** The owner of the backend that is being created. */
    public static TableOwner of(KeyedStateBackendParameters<?> parameters) {
        TaskInfo task = parameters.getEnv().getTaskInfo();
        return new TableOwner(
                parameters.getJobID().toString(),
                task.getTaskName(),
                parameters.getOperatorIdentifier(),
                task.getIndexOfThisSubtask(),
                task.getNumberOfParallelSubtasks());
    }

    /** Properties without the checkpoint, which is not known yet. */
    Map<String, String> properties(StateRegistry registry) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put(PREFIX + "job-id", job);
        properties.put(PREFIX + "task", jobName);
        properties.put(PREFIX + "operator", operator);
        properties.put(PREFIX + "subtask", Integer.toString(subtask));
        properties.put(PREFIX + "parallelism", Integer.toString(parallelism));
        for (RegisteredState state : registry.states()) {
            properties.put(PREFIX + "state." + state.id() + ".name", state.name());
            properties.put(PREFIX + "state." + state.id() + ".kind", state.kind().name());
        }
        return properties;
    }

    /** The property that names the checkpoint. */
    static String checkpointProperty() {
        return PREFIX + "checkpoint-id";
    }
}
