package io.streamfusion.nexmark.quickstart;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A state backend that the quickstart knows.
 *
 * @param configName the value of {@code state.backend.type}
 * @param entryMetrics metrics whose sum is the number of state entries; none when the backend does
 *     not count them
 * @param byteMetrics metrics whose sum is the size of the working state; none when the backend does
 *     not measure it
 * @param settings what the backend needs to report these metrics
 * @param queryable whether SQL can read its checkpoints
 */
record Backend(
        String configName,
        List<String> entryMetrics,
        List<String> byteMetrics,
        Map<String, String> settings,
        boolean queryable) {

    static final Backend STREAMFUSION_PAIMON =
            new Backend(
                    "streamfusion-paimon",
                    List.of("entries", "timers"),
                    List.of("entryBytes"),
                    Map.of(),
                    true);

    static final Backend STREAMFUSION_MEMORY =
            new Backend(
                    "streamfusion-memory",
                    List.of("entries", "timers"),
                    List.of("entryBytes"),
                    Map.of(),
                    false);

    static final Backend HASHMAP = new Backend("hashmap", List.of(), List.of(), Map.of(), false);

    static final Backend ROCKSDB =
            new Backend(
                    "rocksdb",
                    List.of("rocksdb.estimate-num-keys"),
                    List.of("rocksdb.cur-size-all-mem-tables", "rocksdb.total-sst-files-size"),
                    Map.of(
                            "state.backend.rocksdb.metrics.estimate-num-keys", "true",
                            "state.backend.rocksdb.metrics.cur-size-all-mem-tables", "true",
                            "state.backend.rocksdb.metrics.total-sst-files-size", "true"),
                    false);

    private static final List<Backend> ALL =
            List.of(STREAMFUSION_PAIMON, STREAMFUSION_MEMORY, HASHMAP, ROCKSDB);

    /** Throws {@link IllegalArgumentException} that lists the names for an unknown one. */
    static Backend of(String configName) {
        return ALL.stream()
                .filter(backend -> backend.configName().equals(configName))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "there is no backend '"
                                                + configName
                                                + "'; there are "
                                                + names()));
    }

    static String names() {
        return ALL.stream().map(Backend::configName).collect(Collectors.joining(", "));
    }
}
