package io.streamfusion.state.paimon.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackendFactory;
import io.streamfusion.state.paimon.kit.HeldSource;
import io.streamfusion.state.paimon.kit.QueriedJob;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.util.MiniClusterWithClientResource;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs jobs and selects from the state of their checkpoints. */
@ExtendWith(NoNativeLeaks.class)
class StateCatalogTest {
    private static final List<Integer> FIRST = IntStream.range(0, 500).boxed().toList();
    private static final List<Integer> SECOND = IntStream.range(500, 800).boxed().toList();
    private static final int KEYS = 70;

    private static MiniClusterWithClientResource cluster;
    @TempDir Path checkpoints;

    @BeforeAll
    static void startCluster() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
        configuration.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, 10);
        cluster =
                new MiniClusterWithClientResource(
                        new MiniClusterResourceConfiguration.Builder()
                                .setNumberTaskManagers(1)
                                .setNumberSlotsPerTaskManager(4)
                                .setConfiguration(configuration)
                                .build());
        cluster.before();
    }

    @AfterAll
    static void stopCluster() {
        cluster.after();
    }

    // ---- jobs

    @SuppressWarnings("deprecation")
    private static DataStream<Integer> numbers(StreamExecutionEnvironment environment, String job) {
        return environment
                .addSource(new HeldSource<>(job, List.of(FIRST, SECOND)), Types.INT)
                .setParallelism(1);
    }

    private static String keyOf(int number) {
        return "key " + number % KEYS;
    }

    private QueriedJob sqlJob(String name, String backend) throws Exception {
        StreamExecutionEnvironment environment = QueriedJob.environment(checkpoints, backend);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        tables.createTemporaryView(
                "numbers",
                numbers(environment, name)
                        .map(n -> Row.of(keyOf(n), n))
                        .returns(
                                Types.ROW_NAMED(new String[] {"k", "n"}, Types.STRING, Types.INT)));
        tables.toChangelogStream(
                        tables.sqlQuery(
                                "SELECT k, COUNT(*), SUM(n), MAX(n) FROM numbers GROUP BY k"))
                .sinkTo(new DiscardingSink<>());
        return QueriedJob.start(cluster.getMiniCluster(), environment);
    }

    private QueriedJob streamJob(String name) throws Exception {
        StreamExecutionEnvironment environment = QueriedJob.environment(checkpoints);
        numbers(environment, name)
                .keyBy(StateCatalogTest::keyOf)
                .process(new EveryKindOfState())
                .returns(Types.LONG)
                .name("Every kind")
                .uid("every-kind")
                .sinkTo(new DiscardingSink<>());
        return QueriedJob.start(cluster.getMiniCluster(), environment);
    }

    // ---- queries

    private static TableEnvironment catalog(Path path, String moreOptions) {
        TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inBatchMode());
        tables.getConfig().set("parallelism.default", "2");
        tables.executeSql(
                "CREATE CATALOG state WITH ('type' = 'streamfusion-state', 'path' = '"
                        + path
                        + "'"
                        + moreOptions
                        + ")");
        tables.useCatalog("state");
        return tables;
    }

    private static List<String> select(TableEnvironment tables, String sql) throws Exception {
        List<String> rows = new ArrayList<>();
        CloseableIterator<Row> result = tables.executeSql(sql).collect();
        try {
            result.forEachRemaining(row -> rows.add(row.toString()));
        } finally {
            result.close();
        }
        rows.sort(null);
        return rows;
    }

    private static List<Integer> all() {
        return Stream.concat(FIRST.stream(), SECOND.stream()).toList();
    }

    /** What SQL computes: the key, and count, sum and maximum of its numbers. */
    private static List<String> aggregates(List<Integer> numbers) {
        Map<String, long[]> byKey = new TreeMap<>();
        for (int n : numbers) {
            long[] sums = byKey.computeIfAbsent(keyOf(n), k -> new long[3]);
            sums[0]++;
            sums[1] += n;
            sums[2] = Math.max(sums[2], n);
        }
        return byKey.entrySet().stream()
                .map(
                        e ->
                                "+I["
                                        + e.getKey()
                                        + ", "
                                        + e.getValue()[0]
                                        + ", "
                                        + e.getValue()[1]
                                        + ", "
                                        + e.getValue()[2]
                                        + "]")
                .sorted()
                .toList();
    }

    private static final String AGGREGATES =
            "SELECT t.key.f0, t.`value`.f0, t.`value`.f1, t.`value`.f2 FROM `%s`.accState AS t";

    @Test
    void showsTheStateOfASqlJob() throws Exception {
        Path savepoints = checkpoints.resolve("savepoints");
        Path ofJob;
        String savepoint;
        try (QueriedJob job = sqlJob("sql", paimon())) {
            HeldSource.emitNext("sql");
            assertThat(job.checkpoint()).isEqualTo(1);
            HeldSource.emitNext("sql");
            assertThat(job.checkpoint()).isEqualTo(2);
            savepoint = job.savepoint(savepoints, SavepointFormatType.NATIVE);
            ofJob = checkpoints.resolve(job.id().toString());
        }
        TableEnvironment latest = catalog(ofJob, "");
        String operator = latest.listDatabases()[0];

        assertThat(operator).startsWith("GroupAggregate");
        assertThat(select(latest, "SHOW DATABASES"))
                .containsExactly("+I[" + operator + "]", "+I[streamfusion]");
        assertThat(select(latest, AGGREGATES.formatted(operator))).isEqualTo(aggregates(all()));
        assertThat(select(catalog(ofJob, ", 'checkpoint' = '1'"), AGGREGATES.formatted(operator)))
                .isEqualTo(aggregates(FIRST));
        assertThat(select(catalog(checkpoints, ""), AGGREGATES.formatted(operator)))
                .isEqualTo(aggregates(all()));
        Path saved = Path.of(new URI(savepoint));
        assertThat(select(catalog(saved, ""), AGGREGATES.formatted(operator)))
                .isEqualTo(aggregates(all()));
        Path moved = checkpoints.resolve("moved");
        Files.move(saved, moved);
        assertThat(select(catalog(moved, ""), AGGREGATES.formatted(operator)))
                .isEqualTo(aggregates(all()));
        assertThat(select(latest, "SELECT checkpoint, shown FROM streamfusion.checkpoints"))
                .containsExactly("+I[1, false]", "+I[2, true]");
    }

    private static String paimon() {
        return StreamFusionPaimonStateBackendFactory.class.getName();
    }

    @Test
    void showsEveryKindOfState() throws Exception {
        Path ofJob;
        try (QueriedJob job = streamJob("stream")) {
            HeldSource.emitNext("stream");
            job.checkpoint();
            HeldSource.emitNext("stream");
            job.checkpoint();
            ofJob = checkpoints.resolve(job.id().toString());
        }
        TableEnvironment tables = catalog(ofJob, "");
        tables.useDatabase("Every kind");

        assertThat(tables.listTables())
                .contains("number-count", "total", "numbers", "by rest", "last", "account");
        assertThat(select(tables, "SELECT key, `value` FROM `number-count`"))
                .isEqualTo(perKey((key, n) -> List.of(key + ", " + n.size())));
        assertThat(select(tables, "SELECT key, `value` FROM total"))
                .isEqualTo(
                        perKey(
                                (key, n) ->
                                        List.of(key + ", " + n.stream().mapToInt(i -> i).sum())));
        assertThat(select(tables, "SELECT key, list_index, `value` FROM numbers"))
                .isEqualTo(
                        perKey(
                                (key, n) ->
                                        IntStream.range(0, n.size())
                                                .mapToObj(i -> key + ", " + i + ", " + n.get(i))
                                                .toList()));
        assertThat(select(tables, "SELECT key, map_key, `value` FROM `by rest`"))
                .isEqualTo(
                        perKey(
                                (key, n) ->
                                        IntStream.range(0, 3)
                                                .mapToObj(
                                                        rest ->
                                                                key
                                                                        + ", "
                                                                        + rest
                                                                        + ", "
                                                                        + n.stream()
                                                                                .filter(
                                                                                        i ->
                                                                                                i
                                                                                                                % 3
                                                                                                        == rest)
                                                                                .count())
                                                .toList()));
        assertThat(
                        select(
                                tables,
                                "SELECT key, `value` FROM `last` WHERE last_access BETWEEN"
                                        + " CURRENT_TIMESTAMP - INTERVAL '1' HOUR AND"
                                        + " CURRENT_TIMESTAMP"))
                .isEqualTo(perKey((key, n) -> List.of(key + ", number " + n.get(n.size() - 1))));
        assertThat(
                        select(
                                tables,
                                "SELECT key, CAST(`value` AS STRING) LIKE CONCAT('%', key, '%')"
                                        + " FROM account"))
                .isEqualTo(perKey((key, n) -> List.of(key + ", true")));
        assertThat(select(tables, "SELECT key, ts FROM `_timer_state/event_user-timers`"))
                .isEqualTo(
                        perKey(
                                (key, n) ->
                                        n.stream()
                                                .map(i -> key + ", " + (1_000_000 + i % 2))
                                                .distinct()
                                                .toList()));
        assertThat(
                        select(
                                tables,
                                "SELECT table_name, row_count FROM streamfusion.row_counts WHERE"
                                        + " table_name IN ('numbers', 'total')"))
                .containsExactly("+I[numbers, 800]", "+I[total, 70]");
        assertThat(select(tables, "SELECT * FROM total WHERE undecoded IS NOT NULL")).isEmpty();
        assertThat(
                        select(
                                tables,
                                "SELECT kind, columns FROM streamfusion.states WHERE table_name ="
                                        + " 'last'"))
                .containsExactly(
                        "+I[VALUE, key STRING, value STRING, last_access TIMESTAMP_LTZ(3),"
                                + " undecoded MAP<STRING, BYTES>]");
    }

    @FunctionalInterface
    private interface RowsOfKey {
        List<String> of(String key, List<Integer> numbers);
    }

    private static List<String> perKey(RowsOfKey rows) {
        Map<String, List<Integer>> byKey = new TreeMap<>();
        all().forEach(n -> byKey.computeIfAbsent(keyOf(n), k -> new ArrayList<>()).add(n));
        List<String> expected = new ArrayList<>();
        byKey.forEach(
                (key, numbers) ->
                        rows.of(key, numbers).forEach(row -> expected.add("+I[" + row + "]")));
        expected.sort(null);
        return expected;
    }

    // ---- what cannot be read

    @Test
    void refusesOtherBackends() throws Exception {
        for (String other : List.of("rocksdb", "hashmap")) {
            try (QueriedJob job = sqlJob(other, other)) {
                HeldSource.emitNext(other);
                job.checkpoint();
                Path ofJob = checkpoints.resolve(job.id().toString());

                assertThatThrownBy(() -> catalog(ofJob, ""))
                        .hasStackTraceContaining("cannot be queried")
                        .hasStackTraceContaining("another state backend")
                        .hasStackTraceContaining(ofJob + "/chk-1");
            }
        }
    }

    @Test
    void refusesCanonicalSavepoints() throws Exception {
        try (QueriedJob job = sqlJob("canonical", paimon())) {
            HeldSource.emitNext("canonical");
            Path savepoint =
                    Path.of(new URI(job.savepoint(checkpoints, SavepointFormatType.CANONICAL)));

            assertThatThrownBy(() -> catalog(savepoint, ""))
                    .hasStackTraceContaining("savepoint in canonical format")
                    .hasStackTraceContaining(savepoint.toString());
        }
    }

    @Test
    void namesMissingAndDamagedFiles() throws Exception {
        Path ofJob;
        try (QueriedJob job = sqlJob("damaged", paimon())) {
            HeldSource.emitNext("damaged");
            job.checkpoint();
            ofJob = checkpoints.resolve(job.id().toString());
        }
        TableEnvironment tables = catalog(ofJob, "");
        String query = AGGREGATES.formatted(tables.listDatabases()[0]);
        Path data = files(ofJob, ".parquet").get(0);
        byte[] content = Files.readAllBytes(data);

        content[content.length / 3] ^= 0x10;
        Files.write(data, content);
        assertThatThrownBy(() -> select(tables, query))
                .hasStackTraceContaining("Cannot read state 'accState' of operator")
                .hasStackTraceContaining(data.toString())
                .hasStackTraceContaining("the checksum of a row group is");
        Files.write(data, Arrays.copyOf(content, content.length - 10));
        assertThatThrownBy(() -> select(tables, query)).hasStackTraceContaining(data.toString());
        Files.delete(data);
        assertThatThrownBy(() -> select(tables, query))
                .hasStackTraceContaining("Cannot read state 'accState' of operator")
                .hasStackTraceContaining(data.toString());
        Path snapshot = files(ofJob, "snapshot-1").get(0);
        Files.delete(snapshot);
        assertThatThrownBy(() -> select(tables, query))
                .hasStackTraceContaining(snapshot.toString());
        Path metadata = files(ofJob, "_metadata").get(0);
        assertThatThrownBy(() -> select(tables, "SELECT * FROM streamfusion.row_counts"))
                .hasStackTraceContaining(snapshot.toString());
        Files.write(metadata, new byte[] {1, 2, 3, 4});
        assertThatThrownBy(() -> catalog(ofJob, ""))
                .hasStackTraceContaining("The metadata of a checkpoint, ")
                .hasStackTraceContaining(metadata.toString());
    }

    private static List<Path> files(Path directory, String end) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(path -> path.getFileName().toString().endsWith(end))
                    .sorted()
                    .toList();
        }
    }
}
