package io.streamfusion.state.paimon.readers;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
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
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.util.CloseableIterator;

/**
 * State of several kinds in one attempt of a backend: changed at random, and told as the rows that
 * a table of it must have, from what the backend answers and Flink's own serializers.
 */
final class ReadState {
    static final String ROWS = "row";
    static final String MAPS = "map";
    static final String LISTS = "list";
    static final String EXPIRING = "expiring";
    static final String TIMERS = "timers";

    private static final int KEYS = 700;
    private static final int USER_KEYS = 6;
    private static final Duration TTL = Duration.ofDays(100);
    private static final List<String> NAMESPACES = List.of("", "wíndow 1");

    /** All that have a typed column, and one that has none. */
    private static final LogicalType[] FIELDS = {
        new BooleanType(),
        new TinyIntType(),
        new SmallIntType(),
        new IntType(),
        new BigIntType(),
        new FloatType(),
        new DoubleType(),
        VarCharType.STRING_TYPE,
        new VarBinaryType(VarBinaryType.MAX_LENGTH),
        new DateType(),
        new TimestampType(3),
        new DecimalType(10, 2),
    };

    private static final int UNDECODED_FIELD = 11;

    private final Backends<Long> backends;
    private final int numberOfKeyGroups;
    private final CheckpointableKeyedStateBackend<Long> backend;
    private final RowDataSerializer rowSerializer = new RowDataSerializer(FIELDS);
    private final TimerSerializer<Long, String> timerSerializer =
            new TimerSerializer<>(LongSerializer.INSTANCE, StringSerializer.INSTANCE);
    private final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, String>> timers;

    /** When the expiring value of a key was written. */
    private final Map<Long, Long> written;

    /**
     * @param before what the state was restored from, if it was
     */
    ReadState(
            Backends<Long> backends,
            int numberOfKeyGroups,
            CheckpointableKeyedStateBackend<Long> backend,
            Map<Long, Long> before) {
        this.backends = backends;
        this.numberOfKeyGroups = numberOfKeyGroups;
        this.backend = backend;
        this.written = new HashMap<>(before);
        this.timers = backend.create(TIMERS, timerSerializer);
    }

    /** When the expiring values were written, which the backend does not tell. */
    Map<Long, Long> written() {
        return new HashMap<>(written);
    }

    /** Writes, replaces and removes a share of everything. */
    void change(Random random, double share) throws Exception {
        for (long key = 0; key < KEYS; key++) {
            backend.setCurrentKey(key);
            if (random.nextDouble() < share) {
                if (random.nextInt(5) == 0) {
                    rows().clear();
                } else {
                    rows().update(row(random));
                }
            }
            for (String namespace : NAMESPACES) {
                if (random.nextDouble() < share) {
                    changeMap(maps(namespace), random);
                }
                if (random.nextDouble() < share) {
                    changeList(lists(namespace), random);
                }
            }
            if (random.nextDouble() < share) {
                changeExpiring(key, random);
            }
            if (random.nextDouble() < share) {
                changeTimers(key, random);
            }
        }
    }

    private static void changeMap(MapState<String, Long> map, Random random) throws Exception {
        for (int i = 0; i < USER_KEYS; i++) {
            String userKey = i == 0 ? "" : "kéy " + i;
            switch (random.nextInt(5)) {
                case 0 -> map.remove(userKey);
                case 1 -> map.put(userKey, null);
                case 2, 3 -> map.put(userKey, random.nextLong());
                default -> {}
            }
        }
    }

    private static void changeList(ListState<String> list, Random random) throws Exception {
        switch (random.nextInt(6)) {
            case 0 -> list.clear();
            case 1 -> list.update(List.of("only", "ü,"));
            default -> list.addAll(List.of("", "x".repeat(random.nextInt(200))));
        }
    }

    private void changeExpiring(long key, Random random) throws Exception {
        if (random.nextInt(5) == 0) {
            expiring().clear();
            written.remove(key);
        } else {
            long now = backends.clock().currentTimestamp() + 1;
            backends.clock().setCurrentTimestamp(now);
            expiring().update(random.nextInt(1 << 20) / 8.0);
            written.put(key, now);
        }
    }

    private void changeTimers(long key, Random random) {
        String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
        timers.remove(new TimerHeapInternalTimer<>(key, key, namespace));
        timers.add(new TimerHeapInternalTimer<>(random.nextBoolean() ? key : -key, key, namespace));
    }

    private RowData row(Random random) {
        Object[] fields = {
            random.nextBoolean(),
            (byte) random.nextInt(),
            (short) random.nextInt(),
            random.nextInt(),
            random.nextLong(),
            random.nextInt(1 << 16) / 4f,
            random.nextInt(1 << 20) / -8.0,
            StringData.fromString("ünï 😀 ".repeat(random.nextInt(4))),
            new byte[] {1, 0, (byte) random.nextInt()},
            random.nextInt(40_000) - 10_000,
            TimestampData.fromEpochMillis((random.nextInt() * 1000L) + 123),
            DecimalData.fromUnscaledLong(random.nextInt(1000), 10, 2)
        };
        for (int i = 0; i < fields.length; i++) {
            if (random.nextInt(6) == 0) {
                fields[i] = null;
            }
        }
        return GenericRowData.of(fields);
    }

    /** The rows of the table, as {@link TableRows#logical} makes them. */
    TableRows expected() throws Exception {
        TableRows expected = new TableRows();
        for (long key = 0; key < KEYS; key++) {
            backend.setCurrentKey(key);
            RowData row = rows().value();
            if (row != null) {
                Map<String, String> columns = keyed(ROWS, key, "00");
                columns.put(TableRows.VALUE, hex(rowSerializer, row));
                addFields(columns, row);
                expected.add(columns);
            }
            for (String namespace : NAMESPACES) {
                String ns = hex(StringSerializer.INSTANCE, namespace);
                for (Map.Entry<String, Long> entry : maps(namespace).entries()) {
                    Map<String, String> columns = keyed(MAPS, key, ns);
                    addEntry(columns, entry);
                    expected.add(columns);
                }
                Map<String, String> columns = keyed(LISTS, key, ns);
                if (addElements(columns, lists(namespace).get())) {
                    columns.remove(TableRows.USER_KEY);
                    expected.add(columns);
                }
            }
            Double value = expiring().value();
            if (value != null) {
                Map<String, String> columns = keyed(EXPIRING, key, "00");
                columns.put(TableRows.TIME, written.get(key).toString());
                columns.put(
                        TableRows.VALUE,
                        hex(LongSerializer.INSTANCE, written.get(key))
                                + hex(DoubleSerializer.INSTANCE, value));
                columns.put("v_" + EXPIRING, value.toString());
                expected.add(columns);
            }
        }
        addTimers(expected);
        return expected;
    }

    private Map<String, String> keyed(String state, long key, String namespace) throws Exception {
        Map<String, String> columns = new TreeMap<>();
        columns.put(TableRows.KEY_GROUP, Integer.toString(keyGroup(key)));
        columns.put(TableRows.STATE, state);
        columns.put(TableRows.KEY, hex(LongSerializer.INSTANCE, key));
        columns.put(TableRows.NAMESPACE, namespace);
        columns.put(TableRows.USER_KEY, "");
        columns.put("key", Long.toString(key));
        return columns;
    }

    private int keyGroup(long key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, numberOfKeyGroups);
    }

    private static void addFields(Map<String, String> columns, RowData row) {
        for (int i = 0; i < FIELDS.length; i++) {
            if (i != UNDECODED_FIELD && !row.isNullAt(i)) {
                columns.put("v_" + ROWS + "_" + i, field(row, i));
            }
        }
    }

    private static String field(RowData row, int i) {
        return switch (FIELDS[i].getTypeRoot()) {
            case BOOLEAN -> Boolean.toString(row.getBoolean(i));
            case TINYINT -> Byte.toString(row.getByte(i));
            case SMALLINT -> Short.toString(row.getShort(i));
            case INTEGER, DATE -> Integer.toString(row.getInt(i));
            case BIGINT -> Long.toString(row.getLong(i));
            case FLOAT -> Double.toString(row.getFloat(i));
            case DOUBLE -> Double.toString(row.getDouble(i));
            case VARCHAR -> row.getString(i).toString();
            case VARBINARY -> HexFormat.of().formatHex(row.getBinary(i));
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    Long.toString(row.getTimestamp(i, 3).getMillisecond());
            default -> throw new IllegalStateException(FIELDS[i].toString());
        };
    }

    private static void addEntry(Map<String, String> columns, Map.Entry<String, Long> entry)
            throws Exception {
        columns.put(TableRows.USER_KEY, hex(StringSerializer.INSTANCE, entry.getKey()));
        columns.put("uk_" + MAPS, entry.getKey());
        if (entry.getValue() == null) {
            columns.put(TableRows.VALUE, "01");
        } else {
            columns.put(TableRows.VALUE, "00" + hex(LongSerializer.INSTANCE, entry.getValue()));
            columns.put("v_" + MAPS, entry.getValue().toString());
        }
    }

    private static boolean addElements(Map<String, String> columns, Iterable<String> list)
            throws Exception {
        StringBuilder joined = new StringBuilder();
        for (String element : list == null ? List.<String>of() : list) {
            joined.append(joined.isEmpty() ? "" : "2c")
                    .append(hex(StringSerializer.INSTANCE, element));
        }
        columns.put(TableRows.VALUE, joined.toString());
        return !joined.isEmpty();
    }

    private void addTimers(TableRows expected) throws Exception {
        CloseableIterator<TimerHeapInternalTimer<Long, String>> all = timers.iterator();
        while (all.hasNext()) {
            TimerHeapInternalTimer<Long, String> timer = all.next();
            Map<String, String> columns = new TreeMap<>();
            columns.put(TableRows.KEY_GROUP, Integer.toString(keyGroup(timer.getKey())));
            columns.put(TableRows.STATE, TIMERS);
            columns.put(TableRows.KEY, hex(timerSerializer, timer));
            columns.put(TableRows.NAMESPACE, "");
            columns.put(TableRows.USER_KEY, "");
            columns.put(TableRows.TIME, Long.toString(timer.getTimestamp()));
            columns.put("key", timer.getKey().toString());
            expected.add(columns);
        }
        all.close();
    }

    private static <T> String hex(TypeSerializer<T> serializer, T value) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        return HexFormat.of().formatHex(out.getCopyOfBuffer());
    }

    private ValueState<RowData> rows() throws Exception {
        return state(new ValueStateDescriptor<>(ROWS, rowSerializer));
    }

    private ValueState<Double> expiring() throws Exception {
        ValueStateDescriptor<Double> descriptor =
                new ValueStateDescriptor<>(EXPIRING, DoubleSerializer.INSTANCE);
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(TTL).build());
        return state(descriptor);
    }

    private MapState<String, Long> maps(String namespace) throws Exception {
        return backend.getPartitionedState(
                namespace,
                StringSerializer.INSTANCE,
                new MapStateDescriptor<>(MAPS, StringSerializer.INSTANCE, LongSerializer.INSTANCE));
    }

    private ListState<String> lists(String namespace) throws Exception {
        return backend.getPartitionedState(
                namespace,
                StringSerializer.INSTANCE,
                new ListStateDescriptor<>(LISTS, StringSerializer.INSTANCE));
    }

    private <S extends State> S state(StateDescriptor<S, ?> descriptor) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }
}
