package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.GroupAggregate.Phase;
import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.plan.SqlOptions;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which nodes of a translated plan run natively and puts that in place. Not for use by
 * several threads.
 */
final class NativePlan {
    private static final Logger LOG = LoggerFactory.getLogger(NativePlan.class);

    private static final Map<NativeKind, Matcher> MATCHERS =
            Map.of(
                    NativeKind.SOURCE, new SourceMatcher(),
                    NativeKind.CALC, new CalcMatcher(),
                    NativeKind.SINK, new SinkMatcher(),
                    NativeKind.MINI_BATCH_ASSIGNER, new MiniBatchAssignerMatcher(),
                    NativeKind.EXCHANGE, new ExchangeMatcher(),
                    NativeKind.GROUP_AGGREGATE, new AggregateMatcher(Phase.SINGLE),
                    NativeKind.LOCAL_GROUP_AGGREGATE, new AggregateMatcher(Phase.LOCAL),
                    NativeKind.GLOBAL_GROUP_AGGREGATE, new AggregateMatcher(Phase.GLOBAL));

    private final PlanContext context;
    private final IdentityHashMap<ExecNode<?>, PlanNode> nodes = new IdentityHashMap<>();
    private final List<PlanNode> inOrder = new ArrayList<>();

    private NativePlan(PlanContext context) {
        this.context = context;
    }

    /**
     * Changes the transformations of a graph that Flink has translated. When something unforeseen
     * happens nothing is changed and the log has it.
     *
     * @param changes where to take it back
     * @return what became of each node
     */
    static PlanReport rewrite(ExecNodeGraph graph, PlanContext context, Changes changes) {
        NativePlan plan = new NativePlan(context);
        try {
            graph.getRootNodes().forEach(plan::add);
            Islands.settle(
                    plan.inOrder,
                    context.config().get(SqlOptions.ISLANDS) == SqlOptions.Islands.ALWAYS);
            plan.apply(changes);
            return plan.report(graph);
        } catch (RuntimeException | LinkageError e) {
            changes.undo();
            LOG.warn("The query runs on stock Flink: StreamFusion's planner failed", e);
            return new PlanReport(
                    List.of("all on Flink: StreamFusion's planner failed (" + e + ")"));
        }
    }

    private PlanNode add(ExecNode<?> exec) {
        PlanNode known = nodes.get(exec);
        if (known != null) {
            return known;
        }
        List<PlanNode> inputs = new ArrayList<>();
        for (ExecEdge edge : exec.getInputEdges()) {
            inputs.add(add(edge.getSource()));
        }
        PlanNode node = new PlanNode(name(exec), NativeKind.of(exec.getClass()), inputs);
        nodes.put(exec, node);
        inOrder.add(node);
        match(exec, node);
        return node;
    }

    private void match(ExecNode<?> exec, PlanNode node) {
        try {
            Matcher matcher = MATCHERS.get(node.kind());
            if (matcher == null) {
                throw Reason.NO_NATIVE_FORM.with(node.name());
            }
            context.checkSwitch(node.kind());
            node.propose(matcher.match(exec, context));
        } catch (Refusal e) {
            node.refuse(e);
        }
    }

    private void apply(Changes changes) {
        for (PlanNode node : inOrder) {
            if (node.isNative()) {
                node.candidate()
                        .apply(
                                node.takesBatches() ? Edge.BATCHES : Edge.ROWS,
                                node.givesBatches() ? Edge.BATCHES : Edge.ROWS,
                                changes);
            }
        }
    }

    private PlanReport report(ExecNodeGraph graph) {
        Map<ExecNode<?>, String> lines = new LinkedHashMap<>();
        graph.getRootNodes().forEach(root -> describe(root, lines));
        return new PlanReport(List.copyOf(lines.values()));
    }

    /** From the sinks to the sources, as Flink prints a plan; each node once. */
    private void describe(ExecNode<?> exec, Map<ExecNode<?>, String> lines) {
        if (lines.containsKey(exec)) {
            return;
        }
        PlanNode node = nodes.get(exec);
        lines.put(
                exec,
                exec.getDescription()
                        + (node.isNative() ? "  native" : "  on Flink: " + node.refusal()));
        for (ExecEdge edge : exec.getInputEdges()) {
            describe(edge.getSource(), lines);
        }
    }

    private static String name(ExecNode<?> exec) {
        return exec.getClass().getSimpleName().replace("StreamExec", "");
    }
}
