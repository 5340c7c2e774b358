package io.streamfusion.state.memory.rss;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackendFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * Runs one job after the other on an embedded cluster; each fills some state under checkpoints and
 * is then cancelled or fails. A main class of a JVM of its own; arguments: the number of jobs, a
 * directory for checkpoints.
 */
final class JobCycles {
    private static final int RECORDS = 4000;
    private static final int VALUE_BYTES = 2048;

    /** Completed when the present job has filled its state. */
    private static volatile CompletableFuture<Void> filled;

    private JobCycles() {}

    /** See the class comment. */
    public static void main(String[] arguments) {
        try {
            run(Integer.parseInt(arguments[0]), configuration(Path.of(arguments[1])));
        } catch (Throwable failure) {
            failure.printStackTrace();
            // Threads of a cluster that has started half would keep the process, and the test.
            Runtime.getRuntime().halt(1);
        }
    }

    private static void run(int jobs, Configuration configuration) throws Exception {
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(1)
                                .build());
        try {
            cluster.start();
            for (int job = 1; job <= jobs; job++) {
                run(cluster, configuration, job % 2 == 0);
                awaitRelease();
                ChildJvm.announce(
                        "ended",
                        job,
                        StreamFusionAbi.sf_live_handles(),
                        StreamFusionAbi.sf_charged_bytes());
            }
        } finally {
            cluster.close();
        }
    }

    private static Configuration configuration(Path checkpoints) {
        Configuration configuration = new Configuration();
        configuration.set(
                StateBackendOptions.STATE_BACKEND,
                StreamFusionMemoryStateBackendFactory.class.getName());
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        // Any free port: the usual one may be taken by another cluster on this machine.
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(64));
        return configuration;
    }

    private static void run(MiniCluster cluster, Configuration configuration, boolean fails)
            throws Exception {
        filled = new CompletableFuture<>();
        JobGraph graph = graph(configuration, fails);
        cluster.submitJob(graph).get();
        CompletableFuture<JobResult> result = cluster.requestJobResult(graph.getJobID());
        CompletableFuture.anyOf(filled, result).get();
        if (!filled.isDone()) {
            throw new IllegalStateException(
                    "The job ended too early.", result.get().getSerializedThrowable().orElse(null));
        }
        if (!fails) {
            cluster.cancelJob(graph.getJobID()).get();
        }
        result.get();
    }

    /**
     * A job's result is known before the threads that write its last checkpoint have ended. Returns
     * when they have freed what they hold, or after five minutes, when that is a leak.
     */
    private static void awaitRelease() {
        long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        while (StreamFusionAbi.sf_live_handles() > 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    private static JobGraph graph(Configuration configuration, boolean fails) {
        StreamExecutionEnvironment job =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        job.setParallelism(1);
        job.fromSequence(0, Long.MAX_VALUE)
                .keyBy(number -> number % RECORDS)
                .process(new Fill(fails))
                .sinkTo(new DiscardingSink<>());
        return job.getStreamGraph().getJobGraph();
    }

    /** Keeps two values a key; after enough of them it fails, or goes on for ever. */
    private static final class Fill extends KeyedProcessFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        private final boolean fails;
        private transient ValueState<byte[]> value;
        private transient MapState<Long, byte[]> map;
        private transient long seen;

        private Fill(boolean fails) {
            this.fails = fails;
        }

        @Override
        public void open(OpenContext context) {
            value =
                    getRuntimeContext()
                            .getState(
                                    new ValueStateDescriptor<>(
                                            "value",
                                            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
            map =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>(
                                            "map",
                                            Types.LONG,
                                            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        }

        @Override
        public void processElement(Long number, Context context, Collector<Long> out)
                throws Exception {
            value.update(new byte[VALUE_BYTES]);
            map.put(number % 3, new byte[VALUE_BYTES]);
            context.timerService().registerProcessingTimeTimer(Long.MAX_VALUE - 1);
            if (++seen == 2 * RECORDS) {
                filled.complete(null);
                if (fails) {
                    throw new IllegalStateException("This job has to fail.");
                }
            }
        }
    }
}
