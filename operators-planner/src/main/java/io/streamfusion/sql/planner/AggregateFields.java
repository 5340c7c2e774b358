package io.streamfusion.sql.planner;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.types.logical.RowType;

/** Private fields of a node that aggregates; phases have some of them. */
record AggregateFields(
        Field grouping,
        Field calls,
        Field retractions,
        Field needRetraction,
        Optional<Field> updateBefore,
        Optional<Field> states,
        Optional<Field> localInput,
        Optional<Field> countStar) {

    /**
     * Their values.
     *
     * @param retractions which calls see retractions
     * @param states kept by a compiled plan, else null
     * @param localInput what the local phase reads, of the global one
     * @param countStar which call counts the rows of a group, if that was decided
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Values(
            int[] grouping,
            AggregateCall[] calls,
            boolean[] retractions,
            boolean needRetraction,
            boolean updateBefore,
            List<StateMetadata> states,
            Optional<RowType> localInput,
            Optional<Integer> countStar) {}

    /**
     * Looks the fields of a class up.
     *
     * @throws IllegalStateException in words for users, when Flink is another one
     */
    static AggregateFields of(Class<?> node) {
        return new AggregateFields(
                TransformationAccess.field(node, "grouping"),
                TransformationAccess.field(node, "aggCalls"),
                TransformationAccess.field(node, "aggCallNeedRetractions"),
                TransformationAccess.field(node, "needRetraction"),
                optional(node, "generateUpdateBefore"),
                optional(node, "stateMetadataList"),
                optional(node, "localAggInputRowType"),
                optional(node, "indexOfCountStar"));
    }

    @SuppressWarnings("unchecked")
    Values read(ExecNode<?> node) {
        return new Values(
                (int[]) TransformationAccess.get(grouping, node),
                (AggregateCall[]) TransformationAccess.get(calls, node),
                (boolean[]) TransformationAccess.get(retractions, node),
                (boolean) TransformationAccess.get(needRetraction, node),
                value(updateBefore, node).map(Boolean.class::cast).orElse(false),
                value(states, node).map(list -> (List<StateMetadata>) list).orElse(null),
                value(localInput, node).map(RowType.class::cast),
                value(countStar, node).map(Integer.class::cast));
    }

    private static Optional<Object> value(Optional<Field> field, ExecNode<?> node) {
        return field.map(present -> TransformationAccess.get(present, node));
    }

    private static Optional<Field> optional(Class<?> node, String name) {
        return Arrays.stream(node.getDeclaredFields()).anyMatch(f -> f.getName().equals(name))
                ? Optional.of(TransformationAccess.field(node, name))
                : Optional.empty();
    }
}
