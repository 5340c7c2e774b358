package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.Call;
import io.streamfusion.plan.proto.Expression;
import io.streamfusion.plan.proto.FieldAccess;
import io.streamfusion.plan.proto.Literal;
import io.streamfusion.plan.proto.Range;
import io.streamfusion.plan.proto.Search;
import io.streamfusion.sql.plan.LiteralEncoder;
import io.streamfusion.sql.plan.TypeEncoder;
import java.util.Locale;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUnknownAs;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.util.Sarg;
import org.apache.flink.calcite.shaded.com.google.common.collect.BoundType;
import org.apache.flink.table.functions.BuiltInFunctionDefinition;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.functions.bridging.BridgingSqlFunction;
import org.apache.flink.table.planner.functions.utils.ScalarSqlFunction;
import org.apache.flink.table.planner.functions.utils.TableSqlFunction;
import org.apache.flink.table.planner.plan.utils.RexLiteralUtil;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * Writes Calcite's expressions as messages. Whether a function can run is not decided here: the
 * names of all but users' functions are passed on, and the native side knows its own.
 */
final class RexEncoder {
    private RexEncoder() {}

    /** The message for an expression over input columns. */
    static Expression encode(RexNode node) throws Refusal {
        if (node instanceof RexLiteral literal) {
            return literal(literal);
        }
        Expression.Builder message =
                Expression.newBuilder().setType(TypeEncoder.encode(type(node.getType())));
        if (node instanceof RexInputRef reference) {
            return message.setInput(reference.getIndex()).build();
        }
        if (node instanceof RexFieldAccess access) {
            return message.setField(
                            FieldAccess.newBuilder()
                                    .setRow(encode(access.getReferenceExpr()))
                                    .setIndex(access.getField().getIndex()))
                    .build();
        }
        // Subclasses, such as window functions, are more than a call.
        if (node.getClass() == RexCall.class) {
            return message.setCall(call((RexCall) node)).build();
        }
        throw Reason.EXPRESSION.with(node);
    }

    private static Call call(RexCall call) throws Refusal {
        Call.Builder message = Call.newBuilder().setFunction(name(call.getOperator()));
        if (call.getKind() == SqlKind.SEARCH) {
            return message.addOperands(encode(call.getOperands().get(0)))
                    .setSearch(search((RexLiteral) call.getOperands().get(1)))
                    .build();
        }
        for (RexNode operand : call.getOperands()) {
            message.addOperands(encode(operand));
        }
        return message.build();
    }

    /** Flink's older classes for users' functions are still made. */
    @SuppressWarnings("deprecation")
    private static String name(SqlOperator operator) throws Refusal {
        boolean users =
                operator instanceof BridgingSqlFunction bridging
                        ? !(bridging.getDefinition() instanceof BuiltInFunctionDefinition)
                        : operator instanceof ScalarSqlFunction
                                || operator instanceof TableSqlFunction;
        if (users) {
            throw Reason.USER_FUNCTION.with(operator.getName());
        }
        return switch (operator.getKind()) {
            case MINUS_PREFIX -> "MINUS_PREFIX";
            case PLUS_PREFIX -> "PLUS_PREFIX";
            case MOD -> "MOD";
            default -> operator.getName().toUpperCase(Locale.ROOT);
        };
    }

    private static Expression literal(RexLiteral literal) throws Refusal {
        LogicalType type = type(literal.getType());
        Expression.Builder message = Expression.newBuilder();
        if (literal.isNull()) {
            return message.setType(TypeEncoder.encode(type))
                    .setLiteral(Literal.getDefaultInstance())
                    .build();
        }
        // A unit of time or the like.
        if (type.is(LogicalTypeRoot.SYMBOL)) {
            String symbol = ((Enum<?>) literal.getValue()).name();
            return message.setType(
                            TypeEncoder.encode(new VarCharType(false, VarCharType.MAX_LENGTH)))
                    .setLiteral(LiteralEncoder.encode(symbol))
                    .build();
        }
        return message.setType(TypeEncoder.encode(type))
                .setLiteral(value(literal, literal.getValueAs(Comparable.class), type))
                .build();
    }

    private static Literal value(RexLiteral literal, Comparable<?> value, LogicalType type)
            throws Refusal {
        try {
            return LiteralEncoder.encode(RexLiteralUtil.toFlinkInternalValue(value, type));
        } catch (RuntimeException e) {
            // Flink has no value of such a type either, or we have none.
            throw Reason.EXPRESSION.with(literal);
        }
    }

    private static Search search(RexLiteral literal) throws Refusal {
        Sarg<?> sarg = literal.getValueAs(Sarg.class);
        LogicalType type = type(literal.getType());
        Search.Builder message =
                Search.newBuilder()
                        .setType(TypeEncoder.encode(type))
                        .setNullAs(nullAs(sarg.nullAs));
        for (org.apache.flink.calcite.shaded.com.google.common.collect.Range<?> range :
                sarg.rangeSet.asRanges()) {
            Range.Builder bounds = Range.newBuilder();
            if (range.hasLowerBound()) {
                bounds.setLower(value(literal, range.lowerEndpoint(), type))
                        .setLowerOpen(range.lowerBoundType() == BoundType.OPEN);
            }
            if (range.hasUpperBound()) {
                bounds.setUpper(value(literal, range.upperEndpoint(), type))
                        .setUpperOpen(range.upperBoundType() == BoundType.OPEN);
            }
            message.addRanges(bounds);
        }
        return message.build();
    }

    private static Search.NullAs nullAs(RexUnknownAs nullAs) {
        return switch (nullAs) {
            case TRUE -> Search.NullAs.NULL_AS_TRUE;
            case FALSE -> Search.NullAs.NULL_AS_FALSE;
            case UNKNOWN -> Search.NullAs.NULL_AS_NULL;
        };
    }

    private static LogicalType type(RelDataType type) {
        return FlinkTypeFactory.toLogicalType(type);
    }
}
