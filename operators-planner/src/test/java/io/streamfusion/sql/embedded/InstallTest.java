package io.streamfusion.sql.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.sql.StreamFusion;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs with Flink's planner on the class path, and not behind its loader. */
@Tag("embedded")
class InstallTest {
    @Test
    void anEnvironmentBecomesNative() {
        TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        assertThat(tables.explainSql("SELECT 1")).doesNotContain("== StreamFusion ==");
        assertThat(StreamFusion.install(tables)).isTrue();
        assertThat(tables.explainSql("SELECT 1")).contains("== StreamFusion ==");
        assertThat(StreamFusion.install(tables)).isTrue();
    }

    @Test
    void whatWasCreatedBeforeIsStillThere() {
        TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        tables.executeSql("CREATE TEMPORARY VIEW v AS SELECT 1 AS a");
        StreamFusion.install(tables);
        assertThat(tables.sqlQuery("SELECT a + 1 FROM v").explain()).contains("== StreamFusion ==");
    }

    @Test
    void batchModeStaysStock() {
        TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inBatchMode());
        assertThat(StreamFusion.install(tables)).isFalse();
        assertThat(tables.explainSql("SELECT 1")).doesNotContain("StreamFusion");
    }
}
