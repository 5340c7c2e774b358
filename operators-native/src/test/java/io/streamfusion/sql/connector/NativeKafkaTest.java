package io.streamfusion.sql.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.NativeBatch;
import io.streamfusion.plan.proto.Form;
import io.streamfusion.plan.proto.JsonWriter;
import io.streamfusion.plan.proto.Writer;
import io.streamfusion.sql.edge.RowBatcher;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.plan.TypeEncoder;
import io.streamfusion.sql.runtime.BatchMemory;
import io.streamfusion.sql.runtime.NativeBatchRecord;
import io.streamfusion.sql.runtime.PrivateFields;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.runtime.connector.sink.SinkRuntimeProviderContext;
import org.apache.flink.table.runtime.connector.source.ScanRuntimeProviderContext;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sources and sinks of Flink's Kafka table connectors with native formats, without a broker. */
@ExtendWith(NoNativeLeaks.class)
@SuppressWarnings("try") // what may be interrupted is Flink's
class NativeKafkaTest {
    private static final RowType TYPE =
            RowType.of(
                    new LogicalType[] {new BigIntType(false), VarCharType.STRING_TYPE},
                    new String[] {"id", "name"});

    private static final BatchSettings SETTINGS = BatchSettings.defaults();

    // ---- source

    @Test
    void theSourceHandsMessagesThroughAsTheyAre() throws Exception {
        Source<RowData, ?, ?> stock = source(Map.of("format", "json"));
        Source<Object, ?, ?> wrapped = NativeKafkaSource.wrap(stock, new byte[0], TYPE, SETTINGS);
        // As it travels with the job.
        Source<Object, ?, ?> there = InstantiationUtil.clone(wrapped);
        assertThat(there.getBoundedness()).isEqualTo(stock.getBoundedness());
        byte[] message = "{\"id\":1".getBytes(StandardCharsets.UTF_8);
        assertThat(deserialize(PrivateFields.get(there, "inner"), message))
                .extracting(RawMessages::message)
                .isEqualTo(message);
        // The stock source is as it was, and does not take what is no JSON.
        assertThatThrownBy(() -> deserialize(stock, message))
                .isNotInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void moreThanAValueFormatIsRefused() {
        Map<String, String> key =
                Map.of("value.format", "json", "key.format", "json", "key.fields", "id");
        assertThatThrownBy(() -> NativeKafkaSource.wrap(source(key), new byte[0], TYPE, SETTINGS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a key format");
    }

    // ---- sink

    @Test
    void recordsAreStocks() throws Exception {
        assertRecordsAreStocks("kafka", Map.of("format", "json"), null, false);
    }

    @Test
    void recordsOfFixedPartitionsAreStocks() throws Exception {
        assertRecordsAreStocks(
                "kafka", Map.of("format", "json", "sink.partitioner", "fixed"), null, false);
    }

    @Test
    void recordsWithKeysAreStocks() throws Exception {
        Map<String, String> options =
                Map.of("value.format", "json", "key.format", "json", "key.fields", "id");
        assertRecordsAreStocks("kafka", options, json(0), false);
    }

    @Test
    void upsertsAreStocks() throws Exception {
        Map<String, String> options = Map.of("value.format", "json", "key.format", "json");
        assertRecordsAreStocks("upsert-kafka", options, json(0), true);
    }

    private static Form json(int... columns) {
        Form.Builder form = Form.newBuilder().setJson(JsonWriter.getDefaultInstance());
        for (int column : columns) {
            form.addColumns(column);
        }
        return form.build();
    }

    private static void assertRecordsAreStocks(
            String connector, Map<String, String> options, Form key, boolean upsert)
            throws Exception {
        Sink<RowData> stock = sink(connector, options);
        Writer.Builder plan =
                Writer.newBuilder()
                        .setInput(TypeEncoder.encode(TYPE))
                        .setValue(json(0, 1))
                        .setUpsert(upsert);
        if (key != null) {
            plan.setKey(key);
        }
        byte[] bytes = plan.build().toByteArray();
        List<RowData> rows = new ArrayList<>();
        for (RowKind kind : upsert ? RowKind.values() : new RowKind[] {RowKind.INSERT}) {
            GenericRowData row =
                    GenericRowData.of(7L + rows.size(), StringData.fromString("ä\"\n"));
            row.setRowKind(kind);
            rows.add(row);
        }
        rows.add(GenericRowData.of(-1L, null));

        List<ProducerRecord<byte[], byte[]>> expected = new ArrayList<>();
        Recorder stocks = new Recorder(stock, expected);
        for (RowData row : rows) {
            stocks.write(row, null);
        }
        List<ProducerRecord<byte[], byte[]>> actual = new ArrayList<>();
        Sink<Object> wrapped =
                InstantiationUtil.clone(NativeKafkaSink.wrap(stock, bytes, TYPE, SETTINGS));
        Recorder natives = new Recorder(PrivateFields.get(wrapped, "inner"), actual);
        try (BatchMemory memory = BatchMemory.open(SETTINGS);
                RowBatcher batcher = new RowBatcher(memory.budget(), TYPE, "test");
                var writer =
                        BatchSinkWriter.<Object, Object>open(
                                bytes, new SimpleCounter(), () -> natives)) {
            rows.forEach(batcher::add);
            try (NativeBatch batch = batcher.take()) {
                writer.write(NativeBatchRecord.lend(batch), null);
            }
        }
        assertThat(actual)
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(expected)
                .hasSameSizeAs(rows);
    }

    /** A writer that serializes as that of the sink does, and keeps the records. */
    private static final class Recorder implements StatefulSinkWriter<RowData, Object> {
        private final KafkaRecordSerializationSchema<RowData> schema;
        private final List<ProducerRecord<byte[], byte[]>> records;

        @SuppressWarnings("unchecked") // of a table sink
        Recorder(Object sink, List<ProducerRecord<byte[], byte[]>> records) throws Exception {
            this.schema =
                    (KafkaRecordSerializationSchema<RowData>)
                            PrivateFields.get(sink, "recordSerializer");
            this.records = records;
            schema.open(null, new TwoPartitions());
        }

        @Override
        public void write(RowData row, SinkWriter.Context context) {
            records.add(schema.serialize(row, new TwoPartitions(), null));
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public List<Object> snapshotState(long checkpointId) {
            return List.of();
        }

        @Override
        public void close() {}
    }

    private static final class TwoPartitions
            implements KafkaRecordSerializationSchema.KafkaSinkContext {
        @Override
        public int getParallelInstanceId() {
            return 3;
        }

        @Override
        public int getNumberOfParallelInstances() {
            return 4;
        }

        @Override
        public int[] getPartitionsForTopic(String topic) {
            return new int[] {0, 1};
        }
    }

    // ---- Flink's tables

    private static Source<RowData, ?, ?> source(Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.put("scan.startup.mode", "earliest-offset");
        ScanTableSource table =
                (ScanTableSource)
                        FactoryUtil.createDynamicTableSource(
                                null,
                                ObjectIdentifier.of("c", "d", "t"),
                                table("kafka", all),
                                Map.of(),
                                new Configuration(),
                                NativeKafkaTest.class.getClassLoader(),
                                true);
        DataStreamScanProvider provider =
                (DataStreamScanProvider)
                        table.getScanRuntimeProvider(ScanRuntimeProviderContext.INSTANCE);
        var stream =
                provider.produceDataStream(
                        name -> Optional.empty(),
                        StreamExecutionEnvironment.getExecutionEnvironment());
        return ((SourceTransformation<RowData, ?, ?>) stream.getTransformation()).getSource();
    }

    private static Sink<RowData> sink(String connector, Map<String, String> options) {
        DynamicTableSink table =
                FactoryUtil.createDynamicTableSink(
                        null,
                        ObjectIdentifier.of("c", "d", "t"),
                        table(connector, options),
                        Map.of(),
                        new Configuration(),
                        NativeKafkaTest.class.getClassLoader(),
                        true);
        SinkV2Provider provider =
                (SinkV2Provider)
                        table.getSinkRuntimeProvider(new SinkRuntimeProviderContext(false));
        return provider.createSink();
    }

    private static ResolvedCatalogTable table(String connector, Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.put("connector", connector);
        all.put("topic", "events");
        all.put("properties.bootstrap.servers", "localhost:1");
        Schema.Builder schema =
                Schema.newBuilder()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column("name", DataTypes.STRING());
        List<Column> columns =
                List.of(
                        Column.physical("id", DataTypes.BIGINT().notNull()),
                        Column.physical("name", DataTypes.STRING()));
        boolean upsert = connector.equals("upsert-kafka");
        UniqueConstraint key = upsert ? UniqueConstraint.primaryKey("pk", List.of("id")) : null;
        return new ResolvedCatalogTable(
                CatalogTable.newBuilder()
                        .schema((upsert ? schema.primaryKey("id") : schema).build())
                        .options(all)
                        .build(),
                new ResolvedSchema(columns, List.of(), key, List.of()));
    }

    @SuppressWarnings("unchecked") // of a table source
    private static RowData deserialize(Object source, byte[] message) throws Exception {
        KafkaRecordDeserializationSchema<RowData> schema =
                (KafkaRecordDeserializationSchema<RowData>)
                        PrivateFields.get(source, "deserializationSchema");
        schema.open(null);
        List<RowData> rows = new ArrayList<>();
        schema.deserialize(
                new ConsumerRecord<>("events", 0, 0, null, message),
                new Collector<>() {
                    @Override
                    public void collect(RowData row) {
                        rows.add(row);
                    }

                    @Override
                    public void close() {}
                });
        return rows.getFirst();
    }
}
