package io.streamfusion.sql.runtime;

import java.util.Optional;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;

/** With which state backends operators with keyed state can run natively. */
public final class KeyedBackends {
    /** Of flink-table-api, which this module does not see. */
    private static final ConfigOption<Boolean> ASYNC_STATE =
            ConfigOptions.key("table.exec.async-state.enabled").booleanType().defaultValue(false);

    private KeyedBackends() {}

    /**
     * Why operators with keyed state have to stay on Flink, in words for users; empty when they
     * have not.
     *
     * @param config of the job
     */
    public static Optional<String> reasonAgainst(ReadableConfig config) {
        String backend = config.get(StateBackendOptions.STATE_BACKEND);
        if (!backend.startsWith("streamfusion-") && !backend.startsWith("io.streamfusion.state.")) {
            return Optional.of(
                    "the state backend is "
                            + backend
                            + ", and not streamfusion-memory or streamfusion-paimon");
        }
        if (config.get(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG)) {
            return Optional.of(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG.key() + " is set");
        }
        if (config.get(ASYNC_STATE)) {
            return Optional.of(ASYNC_STATE.key() + " is set");
        }
        return Optional.empty();
    }
}
