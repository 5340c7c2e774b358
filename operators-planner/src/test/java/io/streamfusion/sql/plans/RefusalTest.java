package io.streamfusion.sql.plans;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What stays on Flink, and what EXPLAIN says of it. */
class RefusalTest {
    private static final String NATIVE = "  native";

    private final TableEnvironment tables =
            TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    private final Map<String, String> source = kafka();
    private final Map<String, String> sink = kafka();
    private String columns = "a INT, b STRING";

    private static Map<String, String> kafka() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("connector", "kafka");
        options.put("topic", "t");
        options.put("properties.bootstrap.servers", "b:1");
        options.put("properties.group.id", "g");
        options.put("format", "json");
        return options;
    }

    private String explain() {
        tables.executeSql("CREATE TABLE s (" + columns + ") WITH (" + text(source) + ")");
        tables.executeSql("CREATE TABLE t (a INT, b STRING) WITH (" + text(sink) + ")");
        return tables.explainSql("INSERT INTO t SELECT a + 1, b FROM s WHERE a > 0");
    }

    private static String text(Map<String, String> options) {
        return options.entrySet().stream()
                .map(option -> "'" + option.getKey() + "' = '" + option.getValue() + "'")
                .collect(Collectors.joining(", "));
    }

    @Test
    void thePlainPipelineIsNative() {
        assertThat(explain()).contains(NATIVE).doesNotContain("on Flink");
    }

    static Stream<Arguments> sourceOptions() {
        return Stream.of(
                Arguments.of(
                        Map.of("key.format", "json", "key.fields", "a"),
                        "it reads the keys of records"),
                Arguments.of(
                        Map.of("json.decode.json-parser.enabled", "false"),
                        "json.decode.json-parser.enabled is false"),
                Arguments.of(Map.of("scan.parallelism", "3"), "it has a parallelism of its own"));
    }

    @ParameterizedTest
    @MethodSource("sourceOptions")
    void aSourceStaysOnFlink(Map<String, String> options, String reason) {
        source.putAll(options);
        assertThat(explain()).contains("on Flink: " + reason);
    }

    @Test
    void anotherFormatStaysOnFlink() {
        source.put("format", "debezium-json");
        sink.put("format", "debezium-json");
        assertThat(explain())
                .contains("on Flink: the format is 'debezium-json', not json, csv or raw")
                .doesNotContain(NATIVE);
    }

    @Test
    void theFormatOfValuesHasOptionsOfItsOwn() {
        source.remove("format");
        source.put("value.format", "json");
        source.put("value.json.decode.json-parser.enabled", "false");
        assertThat(explain()).contains("on Flink: value.json.decode.json-parser.enabled is false");
    }

    @Test
    void metadataColumnsStayOnFlink() {
        columns = "a INT, b STRING METADATA FROM 'topic'";
        assertThat(explain()).contains("on Flink: it has metadata columns");
    }

    @Test
    void watermarksOnEachEventStayOnFlink() {
        columns += ", c TIMESTAMP(3), WATERMARK FOR c AS c";
        source.put("scan.watermark.emit.strategy", "on-event");
        assertThat(explain()).contains("on Flink: it emits watermarks on every event");
    }

    @Test
    void anotherConnectorStaysOnFlink() {
        source.clear();
        source.put("connector", "datagen");
        sink.clear();
        sink.put("connector", "blackhole");
        assertThat(explain())
                .contains("on Flink: the connector is 'datagen' and not Kafka's")
                .contains("on Flink: the connector is 'blackhole' and not Kafka's")
                .contains(
                        "on Flink: a single Calc between row operators would cost two conversions")
                .doesNotContain(NATIVE);
    }

    @Test
    void islandsCanBeWanted() {
        source.clear();
        source.put("connector", "datagen");
        tables.getConfig().set("streamfusion.sql.islands", "always");
        assertThat(explain()).contains(NATIVE);
    }

    @Test
    void aSinkWithItsOwnParallelismStaysOnFlink() {
        sink.put("sink.parallelism", "3");
        assertThat(explain()).contains("on Flink: it has a parallelism of its own");
    }

    @Test
    void aSwitchedOffOperatorTakesItsNeighboursAlong() {
        tables.getConfig().set("streamfusion.sql.operator.calc.enabled", "false");
        assertThat(explain())
                .contains("on Flink: streamfusion.sql.operator.calc.enabled is false")
                .contains("on Flink: Calc, which it reads, gives rows")
                .contains("on Flink: Calc, which reads it, takes rows")
                .doesNotContain(NATIVE);
    }

    @Test
    void withoutChainsAllStaysOnFlink() {
        tables.getConfig().set("pipeline.operator-chaining.enabled", "false");
        assertThat(explain())
                .contains("on Flink: operators are not chained")
                .doesNotContain(NATIVE);
    }
}
