package io.streamfusion.sql.planner;

import java.util.List;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/** Whether the values of one type can be read as values of another, in batches. */
final class RowLayout {
    private RowLayout() {}

    /**
     * Refuses columns of {@code given} that are not laid out as those of {@code wanted} are. Names,
     * nullability and lengths do not matter.
     */
    static void check(RowType wanted, RowType given) throws Refusal {
        for (int i = 0; i < wanted.getFieldCount(); i++) {
            LogicalType column = wanted.getTypeAt(i);
            if (i >= given.getFieldCount() || !same(column, given.getTypeAt(i))) {
                throw Reason.SINK_TYPE.with(
                        wanted.getFieldNames().get(i),
                        column.asSummaryString(),
                        i >= given.getFieldCount()
                                ? "nothing"
                                : given.getTypeAt(i).asSummaryString());
            }
        }
    }

    private static boolean same(LogicalType wanted, LogicalType given) {
        return kind(wanted) == kind(given)
                && parameters(wanted).equals(parameters(given))
                && children(wanted, given);
    }

    /** CHAR is laid out as VARCHAR, BINARY as VARBINARY. */
    private static LogicalTypeRoot kind(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case CHAR -> LogicalTypeRoot.VARCHAR;
            case BINARY -> LogicalTypeRoot.VARBINARY;
            default -> type.getTypeRoot();
        };
    }

    private static List<Integer> parameters(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case DECIMAL ->
                    List.of(LogicalTypeChecks.getPrecision(type), LogicalTypeChecks.getScale(type));
            case TIME_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    List.of(LogicalTypeChecks.getPrecision(type));
            default -> List.of();
        };
    }

    private static boolean children(LogicalType wanted, LogicalType given) {
        List<LogicalType> left = wanted.getChildren();
        List<LogicalType> right = given.getChildren();
        if (left.size() != right.size()) {
            return false;
        }
        for (int i = 0; i < left.size(); i++) {
            if (!same(left.get(i), right.get(i))) {
                return false;
            }
        }
        return true;
    }
}
