package io.streamfusion.sql.planner;

import io.streamfusion.sql.plan.SqlOptions;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.ExplainFormat;
import org.apache.flink.table.delegation.InternalPlan;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.planner.delegation.StreamPlanner;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;
import org.apache.flink.table.planner.utils.ShortcutUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's planner for streaming; after it has translated a plan, operators that have a native form
 * get it. As Flink's, it is for one thread at a time.
 */
@SuppressWarnings(
        "overrides") // Arrays of details: one of the methods that are overridden is Scala's.
final class NativeStreamPlanner extends StreamPlanner {
    private static final Logger LOG = LoggerFactory.getLogger(NativeStreamPlanner.class);

    private final TransformationAccess access;

    /** A compiled plan keeps its transformations, and may be translated again. */
    private final Map<ExecNodeGraph, Changes> changed = new WeakHashMap<>();

    private boolean explaining;
    private PlanReport report;

    NativeStreamPlanner(PlannerFactory.Context context, TransformationAccess access) {
        super(
                context.getExecutor(),
                context.getTableConfig(),
                context.getModuleManager(),
                context.getFunctionCatalog(),
                context.getCatalogManager(),
                context.getClassLoader());
        this.access = access;
    }

    @Override
    public List<Transformation<?>> translateToPlan(ExecNodeGraph graph) {
        List<Transformation<?>> transformations = super.translateToPlan(graph);
        Changes changes = changed.computeIfAbsent(graph, first -> new Changes());
        changes.undo();
        report = null;
        if (getTableConfig().get(SqlOptions.ENABLED)) {
            report =
                    NativePlan.rewrite(
                            graph,
                            PlanContext.of(
                                    getFlinkContext(),
                                    ShortcutUtils.unwrapTypeFactory(this),
                                    access),
                            changes);
            if (!explaining) {
                LOG.info("Operators of the query:{}{}", System.lineSeparator(), report);
            }
        }
        return transformations;
    }

    @Override
    public String explain(
            List<Operation> operations, ExplainFormat format, ExplainDetail[] details) {
        explaining = true;
        try {
            return withReport(super.explain(operations, format, details));
        } finally {
            explaining = false;
        }
    }

    @Override
    public String explainPlan(InternalPlan plan, ExplainDetail[] details) {
        explaining = true;
        try {
            return withReport(super.explainPlan(plan, details));
        } finally {
            explaining = false;
        }
    }

    private String withReport(String explanation) {
        return report == null ? explanation : report.behind(explanation);
    }
}
