package io.streamfusion.sql.plans;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.nexmark.query.NexmarkQuery;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every query keeps the shape of stock Flink's job, whatever of it runs natively. */
class NexmarkPlansTest {

    static Stream<Arguments> plans() {
        return NexmarkQuery.NAMES.stream()
                .flatMap(query -> Stream.of(Arguments.of(query, false), Arguments.of(query, true)));
    }

    @ParameterizedTest(name = "{0}, mini-batch {1}")
    @MethodSource("plans")
    void theShapeIsStocks(String name, boolean miniBatch) {
        NexmarkQuery query = new NexmarkQuery(name);
        NexmarkTables tables = new NexmarkTables(query, miniBatch);
        List<String> ours = GraphShape.of(tables.graph(query.insert()));
        tables.set("streamfusion.sql.enabled", false);
        assertThat(ours).isEqualTo(GraphShape.of(tables.graph(query.insert())));
    }

    @ParameterizedTest(name = "{0}, mini-batch {1}")
    @MethodSource("plans")
    void explainSaysWhatIsNative(String name, boolean miniBatch) throws Exception {
        NexmarkQuery query = new NexmarkQuery(name);
        String section = ExplainedPlans.section(query, miniBatch);
        assertThat(section)
                .as("written by %s", ExplainedPlans.class.getName())
                .isEqualTo(ExplainedPlans.golden(query, miniBatch));
    }
}
