package io.streamfusion.jmh.operator;

import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * An operator as the planner makes it for a statement: whatever is installed in the planner decides
 * which operator that is.
 *
 * @param name of the transformation
 * @param factory makes the operator
 * @param keySelectors one for each input; empty for an operator without keyed state
 * @param keyType type of the key; null without keyed state
 * @param inputs row type of each input
 */
record PlannedOperator(
        String name,
        StreamOperatorFactory<RowData> factory,
        List<KeySelector<RowData, ?>> keySelectors,
        TypeInformation<?> keyType,
        List<RowType> inputs) {

    private static final String BIDS =
            """
            CREATE TABLE bids (
              auction BIGINT, bidder BIGINT, price BIGINT, eventTime TIMESTAMP(3),
              WATERMARK FOR eventTime AS eventTime
            ) WITH ('connector' = 'datagen')
            """;

    private static final String AUCTIONS =
            "CREATE TABLE auctions (id BIGINT, seller BIGINT) WITH ('connector' = 'datagen')";

    static PlannedOperator of(OperatorCase operatorCase) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(1);
        environment.setMaxParallelism(OperatorHarness.KEY_GROUPS);
        environment.getConfig().enableObjectReuse();
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        tables.getConfig().set("table.local-time-zone", "UTC");
        // One operator does it all, instead of a local and a global half.
        tables.getConfig().set("table.optimizer.agg-phase-strategy", "ONE_PHASE");
        tables.executeSql(BIDS);
        tables.executeSql(AUCTIONS);
        Transformation<?> last =
                tables.toChangelogStream(tables.sqlQuery(operatorCase.statement()))
                        .getTransformation();
        return Stream.concat(Stream.of(last), last.getTransitivePredecessors().stream())
                .filter(one -> one.getName().startsWith(operatorCase.operator() + "["))
                .findFirst()
                .map(PlannedOperator::of)
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "The plan has no operator "
                                                + operatorCase.operator()
                                                + ": "
                                                + last.getTransitivePredecessors()));
    }

    @SuppressWarnings("unchecked")
    private static PlannedOperator of(Transformation<?> transformation) {
        if (transformation instanceof OneInputTransformation<?, ?> one) {
            boolean keyed = one.getStateKeySelector() != null;
            return new PlannedOperator(
                    one.getName(),
                    (StreamOperatorFactory<RowData>) one.getOperatorFactory(),
                    keyed
                            ? List.of((KeySelector<RowData, ?>) one.getStateKeySelector())
                            : List.of(),
                    keyed ? one.getStateKeyType() : null,
                    List.of(rowType(one.getInputType())));
        }
        if (transformation instanceof TwoInputTransformation<?, ?, ?> two) {
            return new PlannedOperator(
                    two.getName(),
                    (StreamOperatorFactory<RowData>) two.getOperatorFactory(),
                    List.of(
                            (KeySelector<RowData, ?>) two.getStateKeySelector1(),
                            (KeySelector<RowData, ?>) two.getStateKeySelector2()),
                    two.getStateKeyType(),
                    List.of(rowType(two.getInputType1()), rowType(two.getInputType2())));
        }
        throw new IllegalStateException(transformation + " has neither one nor two inputs");
    }

    private static RowType rowType(TypeInformation<?> type) {
        return ((InternalTypeInfo<?>) type).toRowType();
    }
}
