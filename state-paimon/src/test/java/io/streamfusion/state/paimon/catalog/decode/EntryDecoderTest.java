package io.streamfusion.state.paimon.catalog.decode;

import static io.streamfusion.state.paimon.catalog.decode.BackendBytes.bytes;
import static io.streamfusion.state.paimon.catalog.decode.BackendBytes.composite;
import static io.streamfusion.state.paimon.catalog.decode.BackendBytes.joined;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.Test;

class EntryDecoderTest {
    private static final byte[] NOTHING = {};
    private static final byte[] VOID = {0};
    private static final byte[] COMMA = {','};

    private static List<String> columns(StateShape shape) {
        return shape.columns().stream()
                .map(c -> c.name() + " " + c.type().asSummaryString())
                .toList();
    }

    private static EntryDecoder decoder(StateShape shape) {
        return new EntryDecoder(shape, shape.columns());
    }

    /** The fields, bytes as hexadecimal digits. */
    private static List<Object> fields(StateShape shape, RowData row) {
        List<Object> fields = new ArrayList<>();
        List<StateColumn> columns = shape.columns();
        for (int i = 0; i < columns.size(); i++) {
            fields.add(
                    plain(RowData.createFieldGetter(columns.get(i).type(), i).getFieldOrNull(row)));
        }
        return fields;
    }

    private static Object plain(Object value) {
        return switch (value) {
            case byte[] bytes -> HexFormat.of().formatHex(bytes);
            case StringData text -> text.toString();
            case MapData map -> {
                List<String> entries = new ArrayList<>();
                for (int i = 0; i < map.size(); i++) {
                    entries.add(
                            map.keyArray().getString(i)
                                    + "="
                                    + HexFormat.of().formatHex(map.valueArray().getBinary(i)));
                }
                yield entries;
            }
            case null, default -> value;
        };
    }

    private static StateShape values(StateDescriptor.Type type) throws IOException {
        return new BackendBytes(LongSerializer.INSTANCE)
                .add("s", type, VoidNamespaceSerializer.INSTANCE, IntSerializer.INSTANCE)
                .onlyShape();
    }

    @Test
    void aValueHasKeyAndValue() throws IOException {
        StateShape shape = values(StateDescriptor.Type.REDUCING);

        assertThat(shape.title()).isEqualTo("REDUCING");
        assertThat(columns(shape))
                .containsExactly("key BIGINT", "value INT", "undecoded MAP<STRING, BYTES>");
        assertThat(
                        fields(
                                shape,
                                decoder(shape)
                                        .value(
                                                bytes(LongSerializer.INSTANCE, 7L),
                                                VOID,
                                                bytes(IntSerializer.INSTANCE, 42))))
                .containsExactly(7L, 42, null);
    }

    @Test
    void whatCannotBeDecodedIsShownAsBytes() throws IOException {
        StateShape shape = values(StateDescriptor.Type.VALUE);

        assertThat(fields(shape, decoder(shape).value(new byte[] {1}, VOID, new byte[] {2, 3})))
                .containsExactly(null, null, List.of("key=01", "value=0203"));
        byte[] tooLong = {0, 0, 0, 1, 9};
        assertThat(
                        fields(
                                shape,
                                decoder(shape)
                                        .value(bytes(LongSerializer.INSTANCE, 7L), VOID, tooLong)))
                .containsExactly(7L, null, List.of("value=0000000109"));
    }

    @Test
    void aColumnOfAnotherTypeShowsBytes() throws IOException {
        StateShape ints = values(StateDescriptor.Type.VALUE);
        StateShape texts =
                new BackendBytes(LongSerializer.INSTANCE)
                        .add(
                                "s",
                                StateDescriptor.Type.VALUE,
                                VoidNamespaceSerializer.INSTANCE,
                                StringSerializer.INSTANCE)
                        .onlyShape();
        RowData row =
                new EntryDecoder(ints, texts.columns())
                        .value(
                                bytes(LongSerializer.INSTANCE, 7L),
                                VOID,
                                bytes(IntSerializer.INSTANCE, 1));

        assertThat(fields(texts, row)).containsExactly(7L, null, List.of("value=00000001"));
    }

    @Test
    void keyAndNamespaceOfUnknownLengthsAreTakenApart() throws IOException {
        StateShape shape =
                new BackendBytes(StringSerializer.INSTANCE)
                        .add(
                                "s",
                                StateDescriptor.Type.VALUE,
                                StringSerializer.INSTANCE,
                                LongSerializer.INSTANCE)
                        .onlyShape();
        byte[] both =
                composite(StringSerializer.INSTANCE, "käy", StringSerializer.INSTANCE, "space");

        assertThat(
                        fields(
                                shape,
                                decoder(shape)
                                        .value(both, NOTHING, bytes(LongSerializer.INSTANCE, 1L))))
                .containsExactly("käy", "space", 1L, null);
        byte[] cut = Arrays.copyOf(both, both.length - 1);
        assertThat(
                        fields(
                                shape,
                                decoder(shape)
                                        .value(cut, NOTHING, bytes(LongSerializer.INSTANCE, 1L))))
                .containsExactly(null, null, 1L, List.of("key=" + HexFormat.of().formatHex(cut)));
    }

    @Test
    void windowsAreRows() throws IOException {
        StateShape shape =
                new BackendBytes(StringSerializer.INSTANCE)
                        .add(
                                "s",
                                StateDescriptor.Type.AGGREGATING,
                                new TimeWindow.Serializer(),
                                LongSerializer.INSTANCE)
                        .onlyShape();
        RowData row =
                decoder(shape)
                        .value(
                                bytes(StringSerializer.INSTANCE, "k"),
                                bytes(new TimeWindow.Serializer(), new TimeWindow(1000, 2000)),
                                bytes(LongSerializer.INSTANCE, 1L));

        assertThat(row.getRow(1, 2).getLong(0)).isEqualTo(1000);
        assertThat(row.getRow(1, 2).getLong(1)).isEqualTo(2000);
    }

    @Test
    void timesOfLastAccessAreAColumn() throws IOException {
        TtlSerializer<String> ttl =
                new TtlSerializer<>(LongSerializer.INSTANCE, StringSerializer.INSTANCE);
        StateShape shape =
                new BackendBytes(LongSerializer.INSTANCE)
                        .add("s", StateDescriptor.Type.VALUE, VoidNamespaceSerializer.INSTANCE, ttl)
                        .onlyShape();

        assertThat(columns(shape))
                .startsWith("key BIGINT", "value STRING", "last_access TIMESTAMP_LTZ(3)");
        RowData row =
                decoder(shape)
                        .value(
                                bytes(LongSerializer.INSTANCE, 1L),
                                VOID,
                                bytes(ttl, new TtlValue<>("old", 1234L)));
        assertThat(row.getString(1).toString()).isEqualTo("old");
        assertThat(row.getTimestamp(2, 3).getMillisecond()).isEqualTo(1234);
        assertThat(fields(shape, decoder(shape).value(new byte[8], VOID, new byte[] {1, 2})))
                .containsExactly(0L, null, null, List.of("value=0102"));
    }

    @Test
    void entriesOfMapsAndTheirNulls() throws IOException {
        StateShape shape =
                new BackendBytes(LongSerializer.INSTANCE)
                        .add(
                                "s",
                                StateDescriptor.Type.MAP,
                                VoidNamespaceSerializer.INSTANCE,
                                new MapSerializer<>(
                                        StringSerializer.INSTANCE, IntSerializer.INSTANCE))
                        .onlyShape();
        byte[] key = bytes(LongSerializer.INSTANCE, 5L);
        byte[] userKey = bytes(StringSerializer.INSTANCE, "u");

        assertThat(columns(shape)).startsWith("key BIGINT", "map_key STRING", "value INT");
        assertThat(
                        fields(
                                shape,
                                decoder(shape)
                                        .mapEntry(key, VOID, userKey, new byte[] {0, 0, 0, 0, 8})))
                .containsExactly(5L, "u", 8, null);
        assertThat(fields(shape, decoder(shape).mapEntry(key, VOID, userKey, new byte[] {1})))
                .containsExactly(5L, "u", null, null);
        assertThat(fields(shape, decoder(shape).mapEntry(key, VOID, userKey, new byte[] {0, 3})))
                .containsExactly(5L, "u", null, List.of("value=03"));
    }

    private static StateShape lists() throws IOException {
        return new BackendBytes(LongSerializer.INSTANCE)
                .add(
                        "s",
                        StateDescriptor.Type.LIST,
                        VoidNamespaceSerializer.INSTANCE,
                        new ListSerializer<>(StringSerializer.INSTANCE))
                .onlyShape();
    }

    private static List<List<Object>> list(StateShape shape, byte[]... chunks) throws IOException {
        List<List<Object>> rows = new ArrayList<>();
        decoder(shape)
                .list(
                        bytes(LongSerializer.INSTANCE, 5L),
                        VOID,
                        List.of(chunks),
                        row -> rows.add(fields(shape, row)));
        return rows;
    }

    @Test
    void aListHasARowForEachElement() throws IOException {
        byte[] a = bytes(StringSerializer.INSTANCE, "a,");
        byte[] b = bytes(StringSerializer.INSTANCE, "b");

        assertThat(list(lists(), joined(a, COMMA, b), a))
                .containsExactly(
                        Arrays.asList(5L, 0, "a,", null),
                        Arrays.asList(5L, 1, "b", null),
                        Arrays.asList(5L, 2, "a,", null));
    }

    @Test
    void whatFollowsAnUnreadableElementIsShownAsBytes() throws IOException {
        byte[] a = bytes(StringSerializer.INSTANCE, "a");

        assertThat(list(lists(), joined(a, COMMA, new byte[] {50}), a))
                .containsExactly(
                        Arrays.asList(5L, 0, "a", null),
                        Arrays.asList(5L, 1, null, List.of("value=32")),
                        Arrays.asList(5L, 2, "a", null));
    }

    @Test
    void timersHaveTheirTime() throws IOException {
        TimerSerializer<String, VoidNamespace> timers =
                new TimerSerializer<>(StringSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE);
        StateShape shape =
                new BackendBytes(StringSerializer.INSTANCE).addTimers("t", timers).onlyShape();
        byte[] element =
                bytes(timers, new TimerHeapInternalTimer<>(99L, "k", VoidNamespace.INSTANCE));

        assertThat(columns(shape)).startsWith("key STRING", "ts BIGINT");
        assertThat(fields(shape, decoder(shape).timer(element, 99L)))
                .containsExactly("k", 99L, null);
        assertThat(fields(shape, decoder(shape).timer(new byte[] {1}, 99L)))
                .containsExactly(null, 99L, List.of("key=01"));
    }

    @Test
    void timersOfWindows() throws IOException {
        TimerSerializer<String, TimeWindow> timers =
                new TimerSerializer<>(StringSerializer.INSTANCE, new TimeWindow.Serializer());
        StateShape shape =
                new BackendBytes(StringSerializer.INSTANCE).addTimers("t", timers).onlyShape();
        byte[] element =
                bytes(timers, new TimerHeapInternalTimer<>(9L, "k", new TimeWindow(1, 10)));
        RowData row = decoder(shape).timer(element, 9L);

        assertThat(row.getString(0).toString()).isEqualTo("k");
        assertThat(row.getRow(1, 2).getLong(1)).isEqualTo(10);
        assertThat(row.getLong(2)).isEqualTo(9);
    }

    @Test
    void withoutSerializersThereAreBytes() throws IOException {
        StateShape shape = StateShapes.of(ofUnknownClass(), new ClassLoader(null) {}).get(0);

        assertThat(columns(shape))
                .containsExactly("key BYTES", "namespace BYTES", "map_key BYTES", "value BYTES");
        assertThat(
                        fields(
                                shape,
                                decoder(shape)
                                        .mapEntry(
                                                new byte[] {1},
                                                new byte[] {2},
                                                new byte[] {3},
                                                new byte[] {4})))
                .containsExactly("01", "02", "03", "04");
    }

    /** Its metadata names a class that no class loader finds. */
    private static BackendStates ofUnknownClass() throws IOException {
        BackendStates states =
                new BackendBytes(LongSerializer.INSTANCE)
                        .add(
                                "s",
                                StateDescriptor.Type.MAP,
                                VoidNamespaceSerializer.INSTANCE,
                                new MapSerializer<>(
                                        StringSerializer.INSTANCE, IntSerializer.INSTANCE))
                        .states();
        byte[] metadata = states.metadata().clone();
        byte[] name = "IntSerializer".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i + name.length <= metadata.length; i++) {
            if (Arrays.equals(metadata, i, i + name.length, name, 0, name.length)) {
                metadata[i] = 'X';
            }
        }
        return new BackendStates(states.states(), metadata);
    }
}
