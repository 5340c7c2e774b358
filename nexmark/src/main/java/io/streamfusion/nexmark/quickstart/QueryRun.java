package io.streamfusion.nexmark.quickstart;

import io.streamfusion.nexmark.collect.CollectTableFactory;
import io.streamfusion.nexmark.collect.CollectedTable;
import io.streamfusion.nexmark.connector.EndGate;
import io.streamfusion.nexmark.connector.NexmarkTableFactory;
import io.streamfusion.nexmark.connector.SideInputTableFactory;
import io.streamfusion.nexmark.query.NexmarkQuery;
import io.streamfusion.nexmark.query.ResultOracle;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

/** One query on one backend, from the first event to the final rows. */
final class QueryRun {
    private static final long REPORT_MILLIS = 1000;

    private final EmbeddedFlink flink;
    private final QuickstartOptions options;
    private final Backend backend;
    private final PrintStream out;

    QueryRun(EmbeddedFlink flink, QuickstartOptions options, Backend backend, PrintStream out) {
        this.flink = flink;
        this.options = options;
        this.backend = backend;
        this.out = out;
    }

    /**
     * What a run left.
     *
     * @param columns names of the result's columns
     * @param rows sorted
     * @param sha256 of the sorted rows
     * @param checkpoints completed ones
     */
    record Outcome(
            Backend backend,
            List<String> columns,
            List<String> rows,
            String sha256,
            long nanos,
            long checkpoints) {}

    /** Looks at a checkpoint while it exists. */
    @FunctionalInterface
    interface CheckpointVisitor {
        /**
         * Looks at it.
         *
         * @param checkpoint its directory
         */
        void visit(String checkpoint) throws Exception;
    }

    /**
     * Runs the query to its end and prints a line a second; throws {@link QueryFailedException} if
     * the job fails.
     */
    Outcome run() throws Exception {
        return run(Optional.empty());
    }

    /**
     * The same, and shows the last checkpoint, with all events in it, to a visitor. Flink deletes
     * the checkpoints of a job that ends, and the last but one always: so the job's input stays
     * open and its next checkpoint waits until the visitor has done.
     */
    Outcome run(Optional<CheckpointVisitor> visitor) throws Exception {
        String id = options.query().name() + "-" + UUID.randomUUID();
        CollectedTable collected = CollectedTable.open(id);
        try (EndGate gate = EndGate.of(id)) {
            if (visitor.isEmpty()) {
                gate.open();
            }
            TableEnvironment tables = environment(id);
            JobID job =
                    tables.executeSql(options.query().insert())
                            .getJobClient()
                            .orElseThrow()
                            .getJobID();
            long start = System.nanoTime();
            try {
                awaitEnd(job, start, visitor, gate);
                long nanos = System.nanoTime() - start;
                List<String> rows = ResultOracle.sorted(collected.rows());
                List<String> columns =
                        tables.from(options.query().sink()).getResolvedSchema().getColumnNames();
                return new Outcome(
                        backend,
                        columns,
                        rows,
                        ResultOracle.sha256(rows),
                        nanos,
                        flink.checkpoints(job));
            } finally {
                flink.tap().forget(job.toHexString());
            }
        } finally {
            CollectedTable.close(id);
        }
    }

    private TableEnvironment environment(String id) throws Exception {
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance()
                                .inStreamingMode()
                                .withConfiguration(configuration())
                                .build());
        options.query().setup(placeholders(id)).forEach(tables::executeSql);
        return tables;
    }

    private Configuration configuration() throws Exception {
        Path checkpoints = Files.createDirectories(flink.workDir().resolve("checkpoints"));
        Map<String, String> settings = new HashMap<>(backend.settings());
        settings.put("state.backend.type", backend.configName());
        settings.put("pipeline.name", options.query().name() + " on " + backend.configName());
        settings.put("parallelism.default", Integer.toString(options.parallelism()));
        settings.put("table.local-time-zone", "UTC");
        settings.put("execution.checkpointing.interval", "1 s");
        settings.put("execution.checkpointing.mode", "EXACTLY_ONCE");
        settings.put("execution.checkpointing.incremental", "true");
        settings.put("execution.checkpointing.storage", "filesystem");
        settings.put("execution.checkpointing.dir", checkpoints.toUri().toString());
        // The result is collected in memory and would not survive a restart.
        settings.put("restart-strategy.type", "none");
        settings.put("execution.target", "remote");
        settings.put("rest.address", flink.webUi().getHost());
        settings.put("rest.port", Integer.toString(flink.webUi().getPort()));
        return Configuration.fromMap(settings);
    }

    private Map<String, String> placeholders(String id) {
        StringBuilder source =
                new StringBuilder("'connector' = '" + NexmarkTableFactory.IDENTIFIER + "'");
        source.append(", 'events' = '").append(options.events()).append('\'');
        source.append(", 'seed' = '").append(options.seed()).append('\'');
        source.append(", 'end-gate' = '").append(id).append('\'');
        options.eventsPerSecond()
                .ifPresent(
                        rate ->
                                source.append(", 'events-per-second' = '")
                                        .append(rate)
                                        .append('\''));
        String sink = "'connector' = '" + CollectTableFactory.IDENTIFIER + "', 'id' = '" + id + "'";
        return Map.of(
                "source_options",
                source.toString(),
                "side_input_options",
                "'connector' = '" + SideInputTableFactory.IDENTIFIER + "'",
                "append_options",
                sink,
                "upsert_options",
                sink,
                "q10_partitioned_by",
                "");
    }

    private void awaitEnd(JobID job, long start, Optional<CheckpointVisitor> visitor, EndGate gate)
            throws Exception {
        CompletableFuture<JobResult> result = flink.result(job);
        Progress.Sample before =
                new Progress.Sample(0, 0, OptionalLong.empty(), OptionalLong.empty(), null);
        boolean ended = false;
        boolean visited = visitor.isEmpty();
        long allEmittedAt = Long.MAX_VALUE;
        while (!ended) {
            try {
                JobResult end = result.get(REPORT_MILLIS, TimeUnit.MILLISECONDS);
                if (!end.isSuccess()) {
                    throw new QueryFailedException(options.query(), backend, end);
                }
                ended = true;
            } catch (TimeoutException stillRunning) {
                // Time for a line.
            }
            Progress.Sample now = sample(job, start, before);
            out.println(Progress.line(before, now));
            before = now;
            if (!visited && !ended) {
                if (gate.checkpointIsHeld()) {
                    visitor.get().visit(flink.lastCheckpoint(job).orElseThrow().getExternalPath());
                    gate.open();
                    visited = true;
                } else if (isCompleteAfter(now.checkpoint(), allEmittedAt)) {
                    gate.holdCheckpoints();
                } else if (now.events() >= options.events()) {
                    allEmittedAt = Math.min(allEmittedAt, System.currentTimeMillis());
                }
            }
        }
    }

    /** A checkpoint that was begun after this time holds everything emitted before. */
    private static boolean isCompleteAfter(CompletedCheckpointStats checkpoint, long millis) {
        return checkpoint != null && checkpoint.getTriggerTimestamp() > millis;
    }

    /**
     * The state of tasks that have finished is gone from the metrics: the sample before still tells
     * it.
     */
    private Progress.Sample sample(JobID job, long start, Progress.Sample before) throws Exception {
        String jobId = job.toHexString();
        OptionalLong entries = flink.tap().gauge(jobId, backend.entryMetrics());
        OptionalLong bytes = flink.tap().gauge(jobId, backend.byteMetrics());
        return new Progress.Sample(
                System.nanoTime() - start,
                flink.tap().count(jobId, NexmarkTableFactory.EVENTS_COUNTER),
                entries.isPresent() ? entries : before.entries(),
                bytes.isPresent() ? bytes : before.bytes(),
                flink.lastCheckpoint(job).orElse(null));
    }

    /** The job did not reach its end. */
    static final class QueryFailedException extends Exception {
        private static final long serialVersionUID = 1L;

        private QueryFailedException(NexmarkQuery query, Backend backend, JobResult result) {
            super(
                    query.name()
                            + " on "
                            + backend.configName()
                            + " ended as "
                            + result.getApplicationStatus(),
                    result.getSerializedThrowable().orElse(null));
        }
    }
}
