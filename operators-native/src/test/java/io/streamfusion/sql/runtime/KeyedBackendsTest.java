package io.streamfusion.sql.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Why operators with keyed state stay on Flink. */
class KeyedBackendsTest {
    private static Configuration ours() {
        Configuration config = new Configuration();
        config.setString("state.backend.type", "streamfusion-memory");
        return config;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "streamfusion-memory",
                "streamfusion-paimon",
                "io.streamfusion.state.memory.StreamFusionMemoryStateBackendFactory"
            })
    void ourBackendsTakeThem(String backend) {
        Configuration config = new Configuration();
        config.setString("state.backend.type", backend);
        assertThat(KeyedBackends.reasonAgainst(config)).isEmpty();
    }

    @Test
    void otherBackendsDoNot() {
        Configuration config = new Configuration();
        assertThat(KeyedBackends.reasonAgainst(config))
                .hasValueSatisfying(reason -> assertThat(reason).contains("hashmap"));
        config.setString("state.backend.type", "rocksdb");
        assertThat(KeyedBackends.reasonAgainst(config))
                .contains(
                        "the state backend is rocksdb, and not streamfusion-memory or"
                                + " streamfusion-paimon");
    }

    @ParameterizedTest
    @ValueSource(strings = {"state.changelog.enabled", "table.exec.async-state.enabled"})
    void whatComesBetweenOperatorAndStoreDoesNot(String option) {
        Configuration config = ours();
        config.setString(option, "true");
        assertThat(KeyedBackends.reasonAgainst(config)).contains(option + " is set");
    }
}
