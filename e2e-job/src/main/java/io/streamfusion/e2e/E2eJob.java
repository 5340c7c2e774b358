package io.streamfusion.e2e;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.util.ParameterTool;

/**
 * The job of the end-to-end tests. State backend, checkpoints, restarts and parallelism are the
 * cluster's and the submission's affair.
 *
 * <p>Arguments: {@code --partitions N --rate RECORDS_PER_SECOND_AND_PARTITION --end-file FILE
 * --output DIRECTORY [--ballast LENGTH_OF_A_TEXT_IN_EACH_KEY]}.
 */
public final class E2eJob {
    private static final int MAX_PARALLELISM = 128;

    private E2eJob() {}

    /** Builds the job and submits it. */
    public static void main(String[] args) throws Exception {
        ParameterTool arguments = ParameterTool.fromArgs(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setMaxParallelism(MAX_PARALLELISM);
        PartitionSource source =
                new PartitionSource(
                        arguments.getInt("partitions"),
                        arguments.getLong("rate"),
                        arguments.getRequired("end-file"));
        FileSink<String> sink =
                FileSink.forRowFormat(
                                new Path(arguments.getRequired("output")),
                                new SimpleStringEncoder<String>())
                        .withBucketAssigner(new BasePathBucketAssigner<>())
                        .withRollingPolicy(OnCheckpointRollingPolicy.build())
                        .build();
        env.fromSource(
                        source,
                        WatermarkStrategy.<Event>forMonotonousTimestamps()
                                .withTimestampAssigner((event, ignored) -> event.timestamp),
                        "partitions")
                .uid("partitions")
                .returns(Types.POJO(Event.class))
                .keyBy(event -> event.key)
                .process(new AccountFunction(arguments.getInt("ballast", 0)))
                .uid("accounts")
                .name("accounts")
                .returns(Types.STRING)
                .sinkTo(sink)
                .uid("files");
        env.execute("streamfusion end-to-end");
    }
}
