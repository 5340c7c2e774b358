package io.streamfusion.state.paimon.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import io.streamfusion.state.paimon.kit.Tables;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypeRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Keys and values as columns that a person can read. */
@ExtendWith(NoNativeLeaks.class)
class TypedColumnsTest {
    @TempDir Path directory;

    private <K> CheckpointableKeyedStateBackend<K> backend(Backends<K> backends) throws Exception {
        return backends.create(
                new StreamFusionPaimonStateBackend(true), backends.allKeyGroups(), List.of());
    }

    private static <S extends State> S state(
            CheckpointableKeyedStateBackend<?> backend, StateDescriptor<S, ?> descriptor)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    private FileStoreTable checkpoint(CheckpointableKeyedStateBackend<?> backend) throws Exception {
        new Storage(directory).checkpoint(backend, 1);
        return Tables.open(Tables.find(directory).get(0));
    }

    @Test
    void rowsOfSqlHaveAColumnPerField() throws Exception {
        TypeSerializer<RowData> keys =
                new RowDataSerializer(new BigIntType(), VarCharType.STRING_TYPE);
        TypeSerializer<RowData> values =
                new RowDataSerializer(
                        new IntType(),
                        new DecimalType(10, 2),
                        VarCharType.STRING_TYPE,
                        new TimestampType(3),
                        new BooleanType(),
                        new DateType());
        try (Backends<RowData> backends = new Backends<>(keys, 8)) {
            CheckpointableKeyedStateBackend<RowData> backend = backend(backends);
            backend.setCurrentKey(key(keys, 42L, "a key longer than seven bytes"));
            state(backend, new ValueStateDescriptor<>("acc", values))
                    .update(
                            GenericRowData.of(
                                    7,
                                    DecimalData.fromUnscaledLong(100, 10, 2),
                                    StringData.fromString("ünï"),
                                    TimestampData.fromEpochMillis(1234),
                                    null,
                                    19_000));
            FileStoreTable table = checkpoint(backend);

            assertThat(table.rowType().getFieldNames().subList(8, table.rowType().getFieldCount()))
                    .containsExactly(
                            "key_0", "key_1", "v_acc_0", "v_acc_2", "v_acc_3", "v_acc_4",
                            "v_acc_5");
            assertThat(
                            Tables.read(
                                    table,
                                    row ->
                                            List.of(
                                                    row.getLong(8),
                                                    row.getString(9).toString(),
                                                    row.getInt(10),
                                                    row.getString(11).toString(),
                                                    row.getTimestamp(12, 3).getMillisecond(),
                                                    row.isNullAt(13),
                                                    row.getInt(14))))
                    .containsExactly(
                            List.of(
                                    42L,
                                    "a key longer than seven bytes",
                                    7,
                                    "ünï",
                                    1234L,
                                    true,
                                    19_000));
        }
    }

    private static RowData key(TypeSerializer<RowData> serializer, long number, String text) {
        return ((RowDataSerializer) serializer)
                .toBinaryRow(GenericRowData.of(number, StringData.fromString(text)))
                .copy();
    }

    @Test
    void valuesWithATimeToLiveAndEntriesOfMapsAreDecoded() throws Exception {
        StateTtlConfig ttl = StateTtlConfig.newBuilder(Duration.ofHours(1)).build();
        try (Backends<String> backends = new Backends<>(StringSerializer.INSTANCE, 8)) {
            CheckpointableKeyedStateBackend<String> backend = backend(backends);
            backend.setCurrentKey("kéy");
            ValueStateDescriptor<Double> value =
                    new ValueStateDescriptor<>("with-ttl", DoubleSerializer.INSTANCE);
            value.enableTimeToLive(ttl);
            state(backend, value).update(2.5);
            MapStateDescriptor<String, Long> map =
                    new MapStateDescriptor<>(
                            "map.ttl", StringSerializer.INSTANCE, LongSerializer.INSTANCE);
            map.enableTimeToLive(ttl);
            state(backend, map).put("user", 9L);
            MapStateDescriptor<Long, String> plain =
                    new MapStateDescriptor<>(
                            "MAP_TTL", LongSerializer.INSTANCE, StringSerializer.INSTANCE);
            state(backend, plain).put(5L, "five");
            FileStoreTable table = checkpoint(backend);

            assertThat(rows(table))
                    .containsExactlyInAnyOrder(
                            Map.of("key", "kéy", "v_with_ttl", 2.5),
                            Map.of("key", "kéy", "uk_map_ttl", "user", "v_map_ttl", 9L),
                            Map.of("key", "kéy", "uk_MAP_TTL_2", 5L, "v_MAP_TTL_2", "five"));
        }
    }

    /** The typed columns of each row that are not null. */
    private static List<Map<String, Object>> rows(FileStoreTable table) throws Exception {
        return Tables.read(
                table,
                row -> {
                    Map<String, Object> found = new java.util.HashMap<>();
                    for (int i = 8; i < table.rowType().getFieldCount(); i++) {
                        if (!row.isNullAt(i)) {
                            DataTypeRoot type = table.rowType().getTypeAt(i).getTypeRoot();
                            found.put(
                                    table.rowType().getFieldNames().get(i),
                                    switch (type) {
                                        case BIGINT -> row.getLong(i);
                                        case DOUBLE -> row.getDouble(i);
                                        default -> row.getString(i).toString();
                                    });
                        }
                    }
                    return found;
                });
    }

    @Test
    void aNameOfAnotherTypeBeforeIsAvoided() {
        ColumnNames names =
                new ColumnNames(Map.of("v_a", ColumnType.BIGINT), List.of("key", "v_c"));
        assertThat(names.name("v_", "a", ColumnType.INT)).isEqualTo("v_a_2");
        assertThat(names.name("v_", "A", ColumnType.BIGINT)).isEqualTo("v_A");
        assertThat(names.name("v_", "c", ColumnType.INT)).isEqualTo("v_c_2");
        assertThat(names.name("v_", "ä b", ColumnType.INT)).isEqualTo("v___b");
    }
}
