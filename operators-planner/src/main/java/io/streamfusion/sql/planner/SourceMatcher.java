package io.streamfusion.sql.planner;

import io.streamfusion.plan.proto.Reader;
import io.streamfusion.sql.connector.NativeKafkaSource;
import io.streamfusion.sql.connector.NativeWatermarks;
import io.streamfusion.sql.plan.PlanCheck;
import io.streamfusion.sql.plan.TypeEncoder;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.plan.abilities.source.SourceAbilitySpec;
import org.apache.flink.table.planner.plan.abilities.source.WatermarkPushDownSpec;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSourceSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecTableSourceScan;
import org.apache.flink.table.types.logical.RowType;

/** Tables in Kafka, whose values are decoded natively. */
final class SourceMatcher implements Matcher {
    private static final String TABLE_SOURCE =
            "org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSource";

    @Override
    public Candidate match(ExecNode<?> node, PlanContext context) throws Refusal {
        context.checkChaining();
        StreamExecTableSourceScan scan = (StreamExecTableSourceScan) node;
        DynamicTableSourceSpec spec = scan.getTableSourceSpec();
        TableOptions options =
                new TableOptions(spec.getContextResolvedTable().getResolvedTable().getOptions());
        checkTable(spec, options, context);
        if (!(scan.getTransformation() instanceof SourceTransformation<?, ?, ?>)) {
            throw Reason.OWN_PARALLELISM.with();
        }
        Optional<WatermarkPushDownSpec> watermark = watermark(spec);
        if (watermark.isPresent() && context.access().emitsOnEvent(watermark.get())) {
            throw Reason.ON_EVENT.with();
        }
        RowType output = (RowType) scan.getOutputType();
        Reader.Builder reader =
                Reader.newBuilder()
                        .setDescription(scan.getDescription())
                        .setOutput(TypeEncoder.encode(output))
                        .setSession(context.session());
        options.readValues(reader);
        if (watermark.isPresent()) {
            reader.setWatermark(RexEncoder.encode(watermark.get().getWatermarkExpr()));
        }
        byte[] plan = reader.build().toByteArray();
        context.check(PlanCheck.Kind.READER, plan);
        return candidate(scan.getTransformation(), plan, output, watermark.isPresent(), context);
    }

    private static Candidate candidate(
            Transformation<RowData> transformation,
            byte[] plan,
            RowType output,
            boolean watermarks,
            PlanContext context)
            throws Refusal {
        @SuppressWarnings("unchecked")
        SourceTransformation<RowData, ?, ?> stock =
                (SourceTransformation<RowData, ?, ?>) transformation;
        Source<Object, ?, ?> source;
        WatermarkStrategy<Object> strategy;
        try {
            source = NativeKafkaSource.wrap(stock.getSource(), plan, output, context.settings());
            strategy =
                    watermarks
                            ? NativeWatermarks.wrap(stock.getWatermarkStrategy())
                            : WatermarkStrategy.noWatermarks();
        } catch (IllegalArgumentException e) {
            throw Reason.NOT_SUPPORTED.with(e.getMessage());
        }
        return (in, out, changes) -> {
            changes.set(context.access().source, transformation, source);
            changes.set(context.access().watermarkStrategy, transformation, strategy);
            OperatorSlot.giveBatches(transformation, output, context, changes);
        };
    }

    private static void checkTable(
            DynamicTableSourceSpec spec, TableOptions options, PlanContext context) throws Refusal {
        ConnectorFields table =
                new ConnectorFields(spec.getScanTableSource(context.flink(), context.types()));
        if (!options.connector().equals("kafka") || !table.isA(TABLE_SOURCE)) {
            throw Reason.CONNECTOR.with(options.connector());
        }
        if (table.get("keyDecodingFormat", Object.class) != null) {
            throw Reason.KEY_FORMAT.with();
        }
        if (!table.get("metadataKeys", List.class).isEmpty()) {
            throw Reason.METADATA.with();
        }
    }

    private static Optional<WatermarkPushDownSpec> watermark(DynamicTableSourceSpec spec)
            throws Refusal {
        WatermarkPushDownSpec watermark = null;
        List<SourceAbilitySpec> abilities = spec.getSourceAbilities();
        for (SourceAbilitySpec ability :
                abilities == null ? List.<SourceAbilitySpec>of() : abilities) {
            if (!(ability instanceof WatermarkPushDownSpec pushed)) {
                throw Reason.PUSHED_DOWN.with(ability.getClass().getSimpleName());
            }
            watermark = pushed;
        }
        return Optional.ofNullable(watermark);
    }
}
