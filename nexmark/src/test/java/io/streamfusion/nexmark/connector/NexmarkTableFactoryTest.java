package io.streamfusion.nexmark.connector;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.nexmark.query.NexmarkQuery;
import java.util.Map;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NexmarkTableFactoryTest {
    private final TableEnvironment tables =
            TableEnvironment.create(EnvironmentSettings.inStreamingMode());

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "'events' = '-5'; events must not be negative: -5",
                "'rate' = '0'; rate must be a positive number of events a second, not 0.0",
                "'shuffle' = '0'; shuffle must lie between 1 and 1000000, not 0",
                "'base-time' = 'noon'; base-time is an instant like 2024-02-28T23:58:20Z, not"
                        + " 'noon'",
                "'events-per-second' = '-1'; events-per-second must be positive: -1.0"
            },
            quoteCharacter = '"')
    void optionsOutOfRangeAreNamed(String option, String message) {
        createEvents(option);
        assertThatThrownBy(() -> tables.explainSql("SELECT * FROM nexmark_events"))
                .hasRootCauseInstanceOf(Exception.class)
                .hasStackTraceContaining("nexmark_events")
                .hasStackTraceContaining(message);
    }

    @Test
    void anUnknownOptionIsNamed() {
        createEvents("'evnets' = '5'");
        assertThatThrownBy(() -> tables.explainSql("SELECT * FROM nexmark_events"))
                .hasStackTraceContaining("evnets");
    }

    @Test
    void otherColumnsAreRefused() {
        tables.executeSql(
                "CREATE TABLE t (event_type INT, price BIGINT) WITH ('connector' ="
                        + " 'streamfusion-nexmark')");
        assertThatThrownBy(() -> tables.explainSql("SELECT * FROM t"))
                .isInstanceOf(ValidationException.class)
                .hasStackTraceContaining("fills the columns")
                .hasStackTraceContaining("the table has ROW<`event_type` INT, `price` BIGINT>");
    }

    @Test
    void aMissingPlaceholderIsNamed() {
        NexmarkQuery query = new NexmarkQuery("q0");
        assertThatThrownBy(() -> query.setup(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ddl.sql needs a value for ${source_options}");
    }

    private void createEvents(String option) {
        new NexmarkQuery("q0")
                        .setup(
                                Map.of(
                                        "source_options",
                                                "'connector' = 'streamfusion-nexmark', " + option,
                                        "side_input_options",
                                                "'connector' = 'streamfusion-nexmark-side-input'",
                                        "append_options", "'connector' = 'blackhole'",
                                        "upsert_options", "'connector' = 'blackhole'",
                                        "q10_partitioned_by", ""))
                        .stream()
                        .filter(statement -> statement.startsWith("CREATE TABLE nexmark_events"))
                        .forEach(tables::executeSql);
    }
}
