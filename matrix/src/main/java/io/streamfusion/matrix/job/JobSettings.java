package io.streamfusion.matrix.job;

import org.apache.flink.configuration.Configuration;

/**
 * What a job is run with, on either side.
 *
 * @param parallelism of every operator
 * @param miniBatch whether operators may collect rows before they work on them
 * @param unaligned whether barriers overtake records
 */
public record JobSettings(int parallelism, boolean miniBatch, boolean unaligned) {

    /** The client's configuration. */
    Configuration configuration(int restPort, String name) {
        Configuration configuration = new Configuration();
        configuration.setString("execution.target", "remote");
        configuration.setString("rest.address", "localhost");
        configuration.setString("rest.port", Integer.toString(restPort));
        configuration.setString("pipeline.name", name);
        configuration.setString("parallelism.default", Integer.toString(parallelism));
        configuration.setString("pipeline.object-reuse", "true");
        configuration.setString("execution.checkpointing.interval", "1 s");
        configuration.setString("execution.checkpointing.mode", "EXACTLY_ONCE");
        configuration.setString("execution.checkpointing.timeout", "10 min");
        configuration.setString(
                "execution.checkpointing.unaligned.enabled", Boolean.toString(unaligned));
        // A sample is of a job that ran through.
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("table.local-time-zone", "UTC");
        if (miniBatch) {
            configuration.setString("table.exec.mini-batch.enabled", "true");
            configuration.setString("table.exec.mini-batch.allow-latency", "2 s");
            configuration.setString("table.exec.mini-batch.size", "50000");
        }
        return configuration;
    }
}
