package io.streamfusion.sql.plans;

import io.streamfusion.nexmark.connector.SideInputTableFactory;
import io.streamfusion.nexmark.query.NexmarkQuery;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.api.internal.TableEnvironmentInternal;
import org.apache.flink.table.delegation.Planner;
import org.apache.flink.table.operations.ModifyOperation;
import org.apache.flink.table.operations.Operation;

/** Nexmark's tables over Kafka, for plans only: nobody is asked whether there is a broker. */
public final class NexmarkTables {
    private static final String KAFKA =
            "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:1'";

    private static final Map<String, String> PLACEHOLDERS =
            Map.of(
                    "source_options",
                    KAFKA + ", 'scan.startup.mode' = 'earliest-offset', 'format' = 'json'",
                    "side_input_options",
                    "'connector' = '" + SideInputTableFactory.IDENTIFIER + "'",
                    "append_options",
                    KAFKA + ", 'format' = 'json', 'sink.partitioner' = 'fixed'",
                    "upsert_options",
                    KAFKA.replace("'kafka'", "'upsert-kafka'")
                            + ", 'key.format' = 'json', 'value.format' = 'json'",
                    "q10_partitioned_by",
                    "");

    private final StreamExecutionEnvironment environment =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final StreamTableEnvironment tables;

    /** Tables of one query. */
    public NexmarkTables(NexmarkQuery query, boolean miniBatch) {
        environment.setParallelism(2);
        tables = StreamTableEnvironment.create(environment);
        tables.getConfig().set("table.exec.mini-batch.enabled", String.valueOf(miniBatch));
        tables.getConfig().set("table.exec.mini-batch.allow-latency", "2 s");
        tables.getConfig().set("table.exec.mini-batch.size", "50000");
        tables.getConfig().set("state.backend.type", "streamfusion-memory");
        query.setup(PLACEHOLDERS).forEach(tables::executeSql);
    }

    /** The environment. */
    public StreamTableEnvironment tables() {
        return tables;
    }

    /** The same as SET. */
    public NexmarkTables set(String option, Object value) {
        tables.getConfig().set(option, value.toString());
        return this;
    }

    /** What an INSERT would run. */
    public StreamGraph graph(String insert) {
        List<Operation> operations = ((TableEnvironmentInternal) tables).getParser().parse(insert);
        Planner planner = ((TableEnvironmentImpl) tables).getPlanner();
        return environment.generateStreamGraph(
                planner.translate(List.of((ModifyOperation) operations.get(0))));
    }
}
