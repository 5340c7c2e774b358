package io.streamfusion.state.paimon.kit;

import io.streamfusion.state.paimon.StreamFusionPaimonStateBackendFactory;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job that runs until the test has its checkpoints. */
public final class QueriedJob implements AutoCloseable {
    public static final int PARALLELISM = 2;
    private static final int SECONDS = 60;

    private final MiniCluster cluster;
    private final JobClient client;

    private QueriedJob(MiniCluster cluster, JobClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    /** The environment of a job whose checkpoints go below {@code checkpoints}. */
    public static StreamExecutionEnvironment environment(Path checkpoints, String backend) {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        configuration.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ZERO);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(PARALLELISM);
        environment.enableCheckpointing(TimeUnit.HOURS.toMillis(1));
        return environment;
    }

    /** The environment of a job of streamfusion-paimon. */
    public static StreamExecutionEnvironment environment(Path checkpoints) {
        return environment(checkpoints, StreamFusionPaimonStateBackendFactory.class.getName());
    }

    /** Starts the job and waits until it runs. */
    public static QueriedJob start(MiniCluster cluster, StreamExecutionEnvironment environment)
            throws Exception {
        QueriedJob job = new QueriedJob(cluster, environment.executeAsync("queried"));
        CommonTestUtils.waitForAllTaskRunning(cluster, job.id(), false);
        return job;
    }

    public JobID id() {
        return client.getJobID();
    }

    /** Completes a checkpoint and returns its number. */
    public long checkpoint() throws Exception {
        return cluster.triggerCheckpoint(id(), CheckpointType.CONFIGURED)
                .get(SECONDS, TimeUnit.SECONDS);
    }

    /** Completes a savepoint and returns its directory. */
    public String savepoint(Path below, SavepointFormatType format) throws Exception {
        return client.triggerSavepoint(below.toUri().toString(), format)
                .get(SECONDS, TimeUnit.SECONDS);
    }

    /** Cancels the job and waits for its end. */
    @Override
    public void close() {
        try {
            client.cancel().get(SECONDS, TimeUnit.SECONDS);
            cluster.requestJobResult(id()).get(SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("The job cannot be cancelled.", e);
        }
    }
}
