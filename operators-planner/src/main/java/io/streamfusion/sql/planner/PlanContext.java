package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.Session;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.plan.PlanCheck;
import io.streamfusion.sql.plan.SqlOptions;
import java.util.Optional;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.planner.calcite.FlinkContext;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;

/**
 * What matchers know beside their node.
 *
 * @param config the options of the query
 * @param session what expressions depend on
 */
record PlanContext(
        ReadableConfig config,
        FlinkContext flink,
        FlinkTypeFactory types,
        TransformationAccess access,
        Session session,
        BatchSettings settings) {

    /** The context of the statement that is being translated. */
    static PlanContext of(FlinkContext flink, FlinkTypeFactory types, TransformationAccess access) {
        TableConfig config = flink.getTableConfig();
        Session session =
                Session.newBuilder()
                        .setLocalTimeZone(config.getLocalTimeZone().getId())
                        .setLegacyCast(
                                config.get(ExecutionConfigOptions.TABLE_EXEC_LEGACY_CAST_BEHAVIOUR)
                                        .isEnabled())
                        .build();
        return new PlanContext(config, flink, types, access, session, BatchSettings.of(config));
    }

    /** Refuses what the user switched off. */
    void checkSwitch(NativeKind kind) throws Refusal {
        var option = SqlOptions.operatorEnabled(kind.option());
        if (!config.get(option)) {
            throw Reason.SWITCHED_OFF.with(option.key());
        }
    }

    /** Refuses where batches would have to leave their task. */
    void checkChaining() throws Refusal {
        if (!config.get(PipelineOptions.OPERATOR_CHAINING)) {
            throw Reason.CHAINING_OFF.with();
        }
    }

    /** Refuses what the native side does not know. */
    void check(PlanCheck.Kind kind, byte[] plan) throws Refusal {
        Optional<String> reason = PlanCheck.reason(kind, plan);
        if (reason.isPresent()) {
            throw Reason.NOT_SUPPORTED.with(reason.get());
        }
    }
}
