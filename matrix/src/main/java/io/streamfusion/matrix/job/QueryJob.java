package io.streamfusion.matrix.job;

import io.streamfusion.matrix.MatrixException;
import io.streamfusion.matrix.verify.SinkSchema;
import io.streamfusion.nexmark.query.NexmarkQuery;
import io.streamfusion.sql.StreamFusion;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableEnvironment;

/** A query with its tables, planned by this JVM and ready to be submitted. */
final class QueryJob {
    private final NexmarkQuery query;
    private final TableEnvironment environment;

    /**
     * @param nativeSql whether operators are native where they can be
     * @param tables values of the placeholders of {@link NexmarkQuery}
     */
    QueryJob(
            NexmarkQuery query,
            Configuration configuration,
            boolean nativeSql,
            Map<String, String> tables) {
        this.query = query;
        this.environment =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance()
                                .inStreamingMode()
                                .withConfiguration(configuration)
                                .build());
        if (nativeSql && !StreamFusion.install(environment)) {
            throw new MatrixException("native SQL cannot be installed; the log says why");
        }
        query.setup(tables).forEach(environment::executeSql);
    }

    SinkSchema schema() {
        return SinkSchema.of(environment.from(query.sink()).getResolvedSchema());
    }

    /** The plan of exactly the statement that is submitted. */
    String plan() {
        return environment.explainSql(query.insert(), ExplainDetail.CHANGELOG_MODE);
    }

    /** Submits the statement, once, and returns the job's id as soon as the cluster has it. */
    String submit() {
        try {
            return environment
                    .executeSql(query.insert())
                    .getJobClient()
                    .orElseThrow()
                    .getJobID()
                    .toHexString();
        } catch (RuntimeException e) {
            throw new MatrixException(query.name() + " cannot be submitted: " + e, e);
        }
    }
}
