package io.streamfusion.matrix.job;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a cluster is made of, the same for both sides of a comparison.
 *
 * @param taskManagers processes; their slots together are at least the parallelism
 * @param slots of each TaskManager
 * @param taskManagerMemory of each TaskManager, as Flink writes sizes
 * @param managedMemory its share for state backends, as Flink writes sizes
 * @param jvmOptions of every process, separated by spaces; may be empty
 */
public record ClusterSettings(
        int taskManagers,
        int slots,
        String taskManagerMemory,
        String managedMemory,
        String jvmOptions) {

    Map<String, String> configuration(String backend, Path checkpoints) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("state.backend.type", backend);
        options.put("execution.checkpointing.dir", checkpoints.toUri().toString());
        options.put("execution.checkpointing.incremental", "true");
        // All of them, for the statistics.
        options.put("web.checkpoints.history", "100000");
        options.put("jobmanager.memory.process.size", "1100m");
        options.put("taskmanager.memory.process.size", taskManagerMemory);
        options.put("taskmanager.memory.managed.size", managedMemory);
        options.put("taskmanager.memory.network.min", "128m");
        options.put("taskmanager.memory.network.max", "128m");
        options.put("taskmanager.load-balance.mode", "SLOTS");
        // So long that nothing ends for being slow on a busy machine.
        options.put("heartbeat.timeout", "1 min");
        options.put("pekko.ask.timeout", "1 min");
        return options;
    }
}
