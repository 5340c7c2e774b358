package io.streamfusion.sql.connector;

import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.runtime.NativeBatchTypeInfo;
import io.streamfusion.sql.runtime.PrivateFields;
import java.io.IOException;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.InstantiationUtil;

/**
 * Kafka's source, whose messages are decoded natively. Splits, offsets, clients and checkpoints are
 * those of the source inside.
 *
 * @param <S> type of the splits
 * @param <E> type of the enumerator's checkpoints
 */
public final class NativeKafkaSource<S extends SourceSplit, E>
        implements Source<Object, S, E>, ResultTypeQueryable<Object> {
    private static final long serialVersionUID = 1L;

    private static final String SOURCE = "org.apache.flink.connector.kafka.source.KafkaSource";
    private static final String TABLE_SCHEMA =
            "org.apache.flink.streaming.connectors.kafka.table.DynamicKafkaDeserializationSchema";

    private final Source<RowData, S, E> inner;
    private final byte[] plan;
    private final RowType output;
    private final BatchSettings settings;

    private NativeKafkaSource(
            Source<RowData, S, E> inner, byte[] plan, RowType output, BatchSettings settings) {
        this.inner = inner;
        this.plan = plan;
        this.output = output;
        this.settings = settings;
    }

    /**
     * A source of batches that reads what a source of Flink's Kafka table connector reads.
     *
     * @param plan the bytes of a message {@code Reader}
     * @param output type of its rows
     * @throws IllegalArgumentException in words for users, when it is not such a source or has more
     *     than a value format
     */
    public static <S extends SourceSplit, E> Source<Object, S, E> wrap(
            Source<RowData, S, E> stock, byte[] plan, RowType output, BatchSettings settings) {
        Object schema = tableSchema(stock);
        if (PrivateFields.get(schema, "keyDeserialization") != null) {
            throw new IllegalArgumentException("a key format");
        }
        if ((boolean) PrivateFields.get(schema, "hasMetadata")) {
            throw new IllegalArgumentException("metadata columns");
        }
        Source<RowData, S, E> copy;
        try {
            copy = InstantiationUtil.clone(stock, stock.getClass().getClassLoader());
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalArgumentException("a source that cannot be copied", e);
        }
        Object copiedSchema = tableSchema(copy);
        DeserializationSchema<?> value =
                (DeserializationSchema<?>) PrivateFields.get(copiedSchema, "valueDeserialization");
        @SuppressWarnings("unchecked") // a table source's format makes rows
        TypeInformation<RowData> type = (TypeInformation<RowData>) value.getProducedType();
        PrivateFields.set(copiedSchema, "valueDeserialization", new RawMessages(type));
        return new NativeKafkaSource<>(copy, plan.clone(), output, settings);
    }

    private static Object tableSchema(Source<?, ?, ?> source) {
        if (!source.getClass().getName().equals(SOURCE)) {
            throw new IllegalArgumentException("the source " + source.getClass().getName());
        }
        Object schema = PrivateFields.get(source, "deserializationSchema");
        if (!schema.getClass().getName().equals(TABLE_SCHEMA)) {
            throw new IllegalArgumentException("the format " + schema.getClass().getName());
        }
        return schema;
    }

    @Override
    public SourceReader<Object, S> createReader(SourceReaderContext context) throws Exception {
        return new BatchingSourceReader<>(
                inner.createReader(context),
                context.metricGroup().getIOMetricGroup().getNumRecordsOutCounter(),
                plan,
                output,
                settings);
    }

    @Override
    public Boundedness getBoundedness() {
        return inner.getBoundedness();
    }

    @Override
    public SplitEnumerator<S, E> createEnumerator(SplitEnumeratorContext<S> context)
            throws Exception {
        return inner.createEnumerator(context);
    }

    @Override
    public SplitEnumerator<S, E> restoreEnumerator(SplitEnumeratorContext<S> context, E checkpoint)
            throws Exception {
        return inner.restoreEnumerator(context, checkpoint);
    }

    @Override
    public SimpleVersionedSerializer<S> getSplitSerializer() {
        return inner.getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<E> getEnumeratorCheckpointSerializer() {
        return inner.getEnumeratorCheckpointSerializer();
    }

    @Override
    public TypeInformation<Object> getProducedType() {
        return new NativeBatchTypeInfo(output);
    }
}
