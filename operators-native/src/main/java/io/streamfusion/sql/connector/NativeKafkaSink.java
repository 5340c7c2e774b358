package io.streamfusion.sql.connector;

import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.runtime.PrivateFields;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.InstantiationUtil;

/**
 * Kafka's sink, whose records are encoded natively. Topics, partitions, transactions and their
 * committer are those of the sink inside.
 *
 * @param <W> type of the writers' state
 * @param <C> type of what is committed
 */
public final class NativeKafkaSink<W, C>
        implements Sink<Object>,
                SupportsWriterState<Object, W>,
                SupportsCommitter<C>,
                SupportsPostCommitTopology<C> {
    private static final long serialVersionUID = 1L;

    private static final String SINK = "org.apache.flink.connector.kafka.sink.KafkaSink";
    private static final String REDUCING_SINK =
            "org.apache.flink.streaming.connectors.kafka.table.ReducingUpsertSink";
    private static final String TABLE_SCHEMA =
            "org.apache.flink.streaming.connectors.kafka.table"
                    + ".DynamicKafkaRecordSerializationSchema";

    /** It does not look at the row. */
    private static final String FIXED_PARTITIONER =
            "org.apache.flink.streaming.connectors.kafka.partitioner.FlinkFixedPartitioner";

    private final Sink<RowData> inner;
    private final byte[] plan;

    private NativeKafkaSink(Sink<RowData> inner, byte[] plan) {
        this.inner = inner;
        this.plan = plan;
    }

    /**
     * A sink of batches that writes what a sink of Flink's Kafka table connectors (kafka and
     * upsert-kafka) writes.
     *
     * @param plan the bytes of a message {@code Writer}; it has a key if the sink has one
     * @param input type of its rows
     * @throws IllegalArgumentException in words for users, when it is not such a sink or needs the
     *     rows themselves (metadata columns, a partitioner of its own, buffered upserts)
     */
    public static Sink<Object> wrap(
            Sink<RowData> stock, byte[] plan, RowType input, BatchSettings settings) {
        Object schema = tableSchema(stock);
        if ((boolean) PrivateFields.get(schema, "hasMetadata")) {
            throw new IllegalArgumentException("metadata columns");
        }
        Object partitioner = PrivateFields.get(schema, "partitioner");
        if (partitioner != null && !partitioner.getClass().getName().equals(FIXED_PARTITIONER)) {
            throw new IllegalArgumentException(
                    "the partitioner " + partitioner.getClass().getName());
        }
        Sink<RowData> copy;
        try {
            copy = InstantiationUtil.clone(stock, stock.getClass().getClassLoader());
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalArgumentException("a sink that cannot be copied", e);
        }
        Object copiedSchema = tableSchema(copy);
        EncodedRow.Schema encoded = new EncodedRow.Schema();
        if (PrivateFields.get(copiedSchema, "keySerialization") != null) {
            PrivateFields.set(copiedSchema, "keySerialization", encoded);
            PrivateFields.set(
                    copiedSchema,
                    "keyFieldGetters",
                    new RowData.FieldGetter[] {EncodedRow.Getter.KEY});
            PrivateFields.set(
                    copiedSchema,
                    "valueFieldGetters",
                    new RowData.FieldGetter[] {EncodedRow.Getter.VALUE});
        }
        PrivateFields.set(copiedSchema, "valueSerialization", encoded);
        return new NativeKafkaSink<>(copy, plan.clone());
    }

    private static Object tableSchema(Sink<?> sink) {
        String name = sink.getClass().getName();
        if (name.equals(REDUCING_SINK)) {
            throw new IllegalArgumentException("sink.buffer-flush of upsert-kafka");
        }
        if (!name.equals(SINK)
                || !(sink instanceof SupportsWriterState)
                || !(sink instanceof SupportsCommitter)) {
            throw new IllegalArgumentException("the sink " + name);
        }
        Object schema = PrivateFields.get(sink, "recordSerializer");
        if (!schema.getClass().getName().equals(TABLE_SCHEMA)) {
            throw new IllegalArgumentException("the format " + schema.getClass().getName());
        }
        return schema;
    }

    @SuppressWarnings("unchecked") // checked by tableSchema
    private SupportsWriterState<RowData, W> stateful() {
        return (SupportsWriterState<RowData, W>) inner;
    }

    @SuppressWarnings("unchecked") // checked by tableSchema
    private SupportsCommitter<C> committing() {
        return (SupportsCommitter<C>) inner;
    }

    @Override
    public SinkWriter<Object> createWriter(WriterInitContext context) throws IOException {
        return restoreWriter(context, List.of());
    }

    @Override
    public StatefulSinkWriter<Object, W> restoreWriter(
            WriterInitContext context, Collection<W> recoveredState) throws IOException {
        return BatchSinkWriter.open(
                plan,
                context.metricGroup().getIOMetricGroup().getNumRecordsInCounter(),
                () -> stateful().restoreWriter(context, recoveredState));
    }

    @Override
    public SimpleVersionedSerializer<W> getWriterStateSerializer() {
        return stateful().getWriterStateSerializer();
    }

    @Override
    public Committer<C> createCommitter(CommitterInitContext context) throws IOException {
        return committing().createCommitter(context);
    }

    @Override
    public SimpleVersionedSerializer<C> getCommittableSerializer() {
        return committing().getCommittableSerializer();
    }

    @Override
    @SuppressWarnings("unchecked") // of the same sink
    public void addPostCommitTopology(DataStream<CommittableMessage<C>> committables) {
        if (inner instanceof SupportsPostCommitTopology) {
            ((SupportsPostCommitTopology<C>) inner).addPostCommitTopology(committables);
        }
    }
}
