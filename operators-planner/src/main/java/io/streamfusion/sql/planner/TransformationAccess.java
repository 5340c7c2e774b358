package io.streamfusion.sql.planner;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.planner.plan.abilities.source.WatermarkPushDownSpec;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.common.CommonExecCalc;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGlobalGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecLocalGroupAggregate;
import org.apache.flink.table.runtime.operators.sink.constraint.ConstraintEnforcer;
import org.apache.flink.table.runtime.operators.sink.constraint.ConstraintEnforcerExecutor;
import org.apache.flink.table.watermark.WatermarkParams;

/**
 * The private fields of Flink that are read or changed. They are looked up when the planner is
 * loaded: a Flink that has not all of them keeps its own planner. Replacing what a transformation
 * runs, and not the transformation, keeps names, identifiers, resources and the shape of the graph
 * those of stock Flink.
 */
final class TransformationAccess {
    private static final String NOT_NULL =
            "org.apache.flink.table.runtime.operators.sink.constraint.NotNullConstraint";

    /**
     * What a {@code ConstraintEnforcer} looks at.
     *
     * @param columns positions of columns that must not be null
     * @param drop leave such rows out, else fail
     */
    @SuppressWarnings("ArrayRecordComponent") // As Flink has it; nobody compares.
    record NotNull(int[] columns, boolean drop) {}

    /** What a one-input transformation runs. */
    final Field operatorFactory = field(OneInputTransformation.class, "operatorFactory");

    /** What a source transformation reads. */
    final Field source = field(SourceTransformation.class, "source");

    /** Watermarks of a source transformation. */
    final Field watermarkStrategy = field(SourceTransformation.class, "watermarkStrategy");

    /** What a sink transformation writes to. */
    final Field sink = field(SinkTransformation.class, "sink");

    /** Which way elements go behind a partition transformation. */
    final Field partitioner = field(PartitionTransformation.class, "partitioner");

    /** What comes out of a transformation. */
    final Field outputType = field(Transformation.class, "outputType");

    private final Field projection = field(CommonExecCalc.class, "projection");
    private final Field condition = field(CommonExecCalc.class, "condition");
    private final Field watermarkParams = field(WatermarkPushDownSpec.class, "watermarkParams");
    private final Field executor = field(ConstraintEnforcer.class, "executor");
    private final Method nodeConfig = nodeConfigMethod();
    private final Map<Class<?>, AggregateFields> aggregates =
            Stream.of(
                            StreamExecGroupAggregate.class,
                            StreamExecLocalGroupAggregate.class,
                            StreamExecGlobalGroupAggregate.class)
                    .collect(Collectors.toMap(type -> type, AggregateFields::of));
    private final Class<?> notNull = type(NOT_NULL);
    private final Field strategy = field(notNull, "enforcementStrategy");
    private final Field columns = field(notNull, "notNullFieldIndices");

    /**
     * Looks everything up.
     *
     * @throws IllegalStateException in words for users, when Flink is another one
     */
    TransformationAccess() {}

    @SuppressWarnings("unchecked")
    List<RexNode> projection(CommonExecCalc calc) {
        return (List<RexNode>) get(projection, calc);
    }

    Optional<RexNode> condition(CommonExecCalc calc) {
        return Optional.ofNullable((RexNode) get(condition, calc));
    }

    /** The options of a node: those that a compiled plan keeps come before those of today. */
    ExecNodeConfig config(ExecNodeBase<?> node, TableConfig today) {
        try {
            return (ExecNodeConfig) nodeConfig.invoke(null, today, node.getPersistedConfig(), true);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read the options of a node", e);
        }
    }

    /** What an aggregate computes. */
    AggregateFields.Values aggregate(ExecNode<?> node) {
        return aggregates.get(node.getClass()).read(node);
    }

    /** Whether watermarks are emitted between the rows of a batch. */
    boolean emitsOnEvent(WatermarkPushDownSpec watermark) {
        WatermarkParams params = (WatermarkParams) get(watermarkParams, watermark);
        return params != null && params.getEmitStrategy().isOnEvent();
    }

    /** What an enforcer looks at, if that is nothing but NOT NULL. */
    Optional<NotNull> notNull(ConstraintEnforcer enforcer) {
        Object[] constraints =
                ((ConstraintEnforcerExecutor) get(executor, enforcer)).getConstraints();
        if (constraints.length != 1 || !notNull.isInstance(constraints[0])) {
            return Optional.empty();
        }
        String name = ((Enum<?>) get(strategy, constraints[0])).name();
        return Optional.of(new NotNull((int[]) get(columns, constraints[0]), name.equals("DROP")));
    }

    static Object get(Field field, Object target) {
        try {
            return field.get(target);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(field + " was made accessible", e);
        }
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name, false, TransformationAccess.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("this Flink has no class " + name, e);
        }
    }

    private static Method nodeConfigMethod() {
        try {
            Method method =
                    ExecNodeConfig.class.getDeclaredMethod(
                            "of", TableConfig.class, ReadableConfig.class, boolean.class);
            method.setAccessible(true);
            return method;
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalStateException("this Flink has no method ExecNodeConfig.of", e);
        }
    }

    static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalStateException(
                    "this Flink has no field " + type.getName() + "." + name, e);
        }
    }
}
