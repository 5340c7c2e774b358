package io.streamfusion.sql.runtime;

import com.google.protobuf.InvalidProtocolBufferException;
import io.streamfusion.plan.proto.Operator;
import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.plan.BatchSettings;
import java.io.Serializable;
import org.apache.flink.table.types.logical.RowType;

/** What an operator is made of; travels with the job. */
final class NativeOperatorSpec implements Serializable {
    private static final long serialVersionUID = 1L;

    private final byte[] plan;
    private final String description;
    private final RowType input;
    private final RowType output;
    private final Edge inputEdge;
    private final Edge outputEdge;
    private final BatchSettings settings;
    private final StockStates states;

    NativeOperatorSpec(
            byte[] plan,
            RowType input,
            RowType output,
            Edge inputEdge,
            Edge outputEdge,
            BatchSettings settings,
            StockStates states) {
        this.plan = plan.clone();
        this.input = input;
        this.output = output;
        this.inputEdge = inputEdge;
        this.outputEdge = outputEdge;
        this.settings = settings;
        this.states = states;
        try {
            this.description = Operator.parseFrom(plan).getDescription();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("not the plan of an operator", e);
        }
    }

    /** The bytes of a message {@code Operator}. */
    byte[] plan() {
        return plan;
    }

    /** Name of the operator and its part of the query. */
    String description() {
        return description;
    }

    RowType input() {
        return input;
    }

    RowType output() {
        return output;
    }

    boolean takesRows() {
        return inputEdge == Edge.ROWS;
    }

    boolean givesRows() {
        return outputEdge == Edge.ROWS;
    }

    BatchSettings settings() {
        return settings;
    }

    /** The states of an operator with keys; null when it has none. */
    StockStates states() {
        return states;
    }
}
