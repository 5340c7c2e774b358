package io.streamfusion.sql.runtime;

import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/** Operators as stock Flink's planner makes them. */
public final class StockPlan {
    private StockPlan() {}

    /**
     * The last operator of a query that has states of a group aggregate.
     *
     * @param table columns of the table T that the query reads, as in DDL
     */
    @SuppressWarnings("unchecked")
    public static OneInputTransformation<RowData, RowData> groupAggregate(
            String table, String query, Configuration config) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.executeSql("CREATE TEMPORARY TABLE T (" + table + ") WITH ('connector'='datagen')");
        Transformation<?> sink =
                tables.toChangelogStream(tables.sqlQuery(query)).getTransformation();
        List<OneInputTransformation<RowData, RowData>> aggregates =
                sink.getTransitivePredecessors().stream()
                        .filter(OneInputTransformation.class::isInstance)
                        .map(found -> (OneInputTransformation<RowData, RowData>) found)
                        .filter(found -> found.getStateKeySelector() != null)
                        .filter(found -> hasStates(found.getOperatorFactory()))
                        .toList();
        return aggregates.stream()
                .filter(last -> aggregates.stream().allMatch(a -> a.getId() <= last.getId()))
                .findFirst()
                .orElseThrow();
    }

    private static boolean hasStates(StreamOperatorFactory<?> factory) {
        try {
            StockStates.of(factory);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Type of the rows that go into an operator. */
    public static RowType inputOf(OneInputTransformation<RowData, RowData> operator) {
        return ((InternalTypeInfo<RowData>) operator.getInputType()).toRowType();
    }

    /** Type of the rows that come out of an operator. */
    public static RowType outputOf(OneInputTransformation<RowData, RowData> operator) {
        return ((InternalTypeInfo<RowData>) operator.getOutputType()).toRowType();
    }
}
