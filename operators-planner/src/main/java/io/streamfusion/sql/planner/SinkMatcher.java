package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.Form;
import io.streamfusion.plan.proto.Writer;
import io.streamfusion.sql.connector.NativeKafkaSink;
import io.streamfusion.sql.edge.Edge;
import io.streamfusion.sql.plan.PlanCheck;
import io.streamfusion.sql.plan.TypeEncoder;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSink;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

/** Tables in Kafka, append-only or by key, whose keys and values are encoded natively. */
final class SinkMatcher implements Matcher {
    private static final String TABLE_SINK =
            "org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink";

    @Override
    public Candidate match(ExecNode<?> node, PlanContext context) throws Refusal {
        context.checkChaining();
        StreamExecSink exec = (StreamExecSink) node;
        DynamicTableSinkSpec spec = exec.getTableSinkSpec();
        TableOptions options =
                new TableOptions(spec.getContextResolvedTable().getResolvedTable().getOptions());
        ConnectorFields table = new ConnectorFields(spec.getTableSink(context.flink()));
        if (!List.of("kafka", "upsert-kafka").contains(options.connector())
                || !table.isA(TABLE_SINK)
                || !(exec.getTransformation() instanceof SinkTransformation<?, ?>)) {
            throw Reason.CONNECTOR.with(options.connector());
        }
        if (!table.get("metadataKeys", List.class).isEmpty()) {
            throw Reason.METADATA.with();
        }
        RowType rows = (RowType) table.get("physicalDataType", DataType.class).getLogicalType();
        RowLayout.check(rows, (RowType) exec.getInputEdges().get(0).getOutputType());
        byte[] plan = writer(exec, table, options, rows, context);
        context.check(PlanCheck.Kind.WRITER, plan);
        Transformation<?> before =
                ((org.apache.flink.table.planner.plan.nodes.exec.ExecNodeBase<?>)
                                exec.getInputEdges().get(0).getSource())
                        .getTransformation();
        @SuppressWarnings("unchecked")
        SinkTransformation<RowData, ?> stock =
                (SinkTransformation<RowData, ?>) (Transformation<?>) exec.getTransformation();
        List<SinkOperators.Step> steps = SinkOperators.between(before, stock, rows, context);
        Sink<Object> sink;
        try {
            sink = NativeKafkaSink.wrap(stock.getSink(), plan, rows, context.settings());
        } catch (IllegalArgumentException e) {
            throw Reason.NOT_SUPPORTED.with(e.getMessage());
        }
        return (in, out, changes) -> {
            for (SinkOperators.Step step : steps) {
                step.slot().fill(step.plan(), Edge.BATCHES, Edge.BATCHES, context, changes);
            }
            changes.set(context.access().sink, stock, sink);
        };
    }

    private static byte[] writer(
            StreamExecSink exec,
            ConnectorFields table,
            TableOptions options,
            RowType rows,
            PlanContext context)
            throws Refusal {
        Form.Builder value = form(rows, table.get("valueProjection", int[].class), "");
        options.writeValues(value);
        Writer.Builder writer =
                Writer.newBuilder()
                        .setDescription(exec.getDescription())
                        .setInput(TypeEncoder.encode(rows))
                        .setValue(value)
                        .setUpsert(table.get("upsertMode", Boolean.class))
                        .setSession(context.session());
        if (table.get("keyEncodingFormat", Object.class) != null) {
            String prefix = table.get("keyPrefix", String.class);
            Form.Builder key =
                    form(
                            rows,
                            table.get("keyProjection", int[].class),
                            prefix == null ? "" : prefix);
            options.writeKeys(key);
            writer.setKey(key);
        }
        return writer.build().toByteArray();
    }

    /** Columns by position; a prefix that only the table's columns have is taken off. */
    private static Form.Builder form(RowType rows, int[] columns, String prefix) {
        Form.Builder form = Form.newBuilder();
        for (int column : columns) {
            form.addColumns(column);
            form.addNames(rows.getFieldNames().get(column).substring(prefix.length()));
        }
        return form;
    }
}
