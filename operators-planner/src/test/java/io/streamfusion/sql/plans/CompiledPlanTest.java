package io.streamfusion.sql.plans;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.nexmark.query.NexmarkQuery;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;

class CompiledPlanTest {
    private final NexmarkQuery query = new NexmarkQuery("q2");
    private final NexmarkTables nexmark = new NexmarkTables(query, false);
    private final StreamTableEnvironment tables = nexmark.tables();

    @Test
    void thePlanIsStocks() throws Exception {
        String ours = tables.compilePlanSql(query.insert()).asJsonString();
        NexmarkTables stock =
                new NexmarkTables(query, false).set("streamfusion.sql.enabled", false);
        String theirs = stock.tables().compilePlanSql(query.insert()).asJsonString();
        assertThat(withoutNumbers(ours)).isEqualTo(withoutNumbers(theirs));
    }

    @Test
    void aRestoredPlanIsNative() throws Exception {
        String json = tables.compilePlanSql(query.insert()).asJsonString();
        CompiledPlan plan = tables.loadPlan(PlanReference.fromJsonString(json));
        assertThat(plan.explain()).contains("  native").doesNotContain("on Flink");
    }

    @Test
    void aPlanIsTranslatedAnewWithOtherOptions() throws Exception {
        CompiledPlan plan = tables.compilePlanSql(query.insert());
        String first = plan.explain();
        nexmark.set("streamfusion.sql.operator.sink.enabled", false);
        assertThat(plan.explain())
                .contains("on Flink: streamfusion.sql.operator.sink.enabled is false");
        nexmark.set("streamfusion.sql.operator.sink.enabled", true);
        assertThat(plan.explain()).isEqualTo(first);
        nexmark.set("streamfusion.sql.enabled", false);
        assertThat(plan.explain()).doesNotContain("StreamFusion");
    }

    /** Nodes are numbered on from the plan before. */
    private static String withoutNumbers(String json) {
        return json.replaceAll("\"(id|source|target)\" : \\d+", "\"$1\" : 0");
    }
}
