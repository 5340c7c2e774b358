package io.streamfusion.state.paimon.readers;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.kit.SimulatedJob;
import io.streamfusion.state.paimon.kit.Tables;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.table.source.DataSplit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The state of completed checkpoints, read exactly by Flink SQL, pypaimon and pypaimon-rust, none
 * of which knows anything of ours.
 */
@ExtendWith(NoNativeLeaks.class)
class ReadableByAnyoneITCase {
    private static final int RETAINED = 3;
    private static final double FIRST_SHARE = 0.9;
    private static final double SHARE = 0.08;

    @TempDir Path directory;
    @TempDir Path work;
    private final Random random = new Random(20_260_101);
    private final Map<Long, TableRows> expected = new HashMap<>();

    /** When the expiring values of the last checkpoint were written. */
    private Map<Long, Long> written = Map.of();

    private SimulatedJob<Long> job;

    @BeforeEach
    void createJob() {
        Configuration configuration = new Configuration();
        configuration.set(PaimonOptions.COMPACTION_FAN_IN, 3);
        job =
                new SimulatedJob<>(
                        directory,
                        new org.apache.flink.core.fs.Path(directory.toUri()),
                        RETAINED,
                        configuration,
                        LongSerializer.INSTANCE);
    }

    @AfterEach
    void closeJob() throws Exception {
        job.close();
    }

    @Test
    void threeReadersFindWhatTheBackendHolds() throws Exception {
        PythonReader python = new PythonReader(work);
        CheckpointableKeyedStateBackend<Long> first = job.attempt();
        ReadState state = state(first);
        state.change(random, FIRST_SHARE);
        complete(first, state, 1);
        Path table = Tables.find(directory).get(0);
        Set<String> replaced = new HashSet<>();
        Set<String> before = dataFiles(table, 1);
        for (long id = 2; id <= 8; id++) {
            state.change(random, SHARE);
            if (id == 4) {
                abort(first, state, id);
            } else {
                complete(first, state, id);
                replaced.addAll(before);
                before = dataFiles(table, id);
            }
        }
        replaced.removeAll(before);
        assertThat(replaced).as("files that compaction replaced").hasSizeGreaterThan(5);
        assertThat(deletionVectors(table, 8)).isPositive();
        assertThat(Tables.find(directory)).containsExactly(table);
        assertReadable(python, table, 8);
        assertReadable(python, table, 6);

        CheckpointableKeyedStateBackend<Long> second = job.failover();
        ReadState restored = state(second);
        for (long id = 9; id <= 11; id++) {
            restored.change(random, SHARE);
            complete(second, restored, id);
        }
        Path successor =
                Tables.find(directory).stream()
                        .filter(found -> !found.equals(table))
                        .findAny()
                        .orElseThrow();
        assertThat(externalFiles(successor, 9)).as("files of the first attempt").isPositive();
        assertReadable(python, successor, 9);
        assertReadable(python, successor, 11);
        job.assertOwnership();
    }

    /** What the snapshots of a table consist of. */
    private static List<DataSplit> splits(Path table, long snapshot) {
        return Tables.open(table, snapshot).newReadBuilder().newScan().plan().splits().stream()
                .map(DataSplit.class::cast)
                .toList();
    }

    private static Set<String> dataFiles(Path table, long snapshot) {
        return splits(table, snapshot).stream()
                .flatMap(split -> split.dataFiles().stream())
                .map(DataFileMeta::fileName)
                .collect(Collectors.toSet());
    }

    private static long externalFiles(Path table, long snapshot) {
        return splits(table, snapshot).stream()
                .flatMap(split -> split.dataFiles().stream())
                .filter(file -> file.externalPath().isPresent())
                .count();
    }

    private static long deletionVectors(Path table, long snapshot) {
        return splits(table, snapshot).stream()
                .flatMap(split -> split.deletionFiles().stream().flatMap(List::stream))
                .filter(Objects::nonNull)
                .count();
    }

    private ReadState state(CheckpointableKeyedStateBackend<Long> backend) {
        return new ReadState(job.backends(), job.numberOfKeyGroups(), backend, written);
    }

    private void complete(CheckpointableKeyedStateBackend<Long> backend, ReadState state, long id)
            throws Exception {
        job.complete(backend, id, write(backend, state, id));
    }

    private IncrementalRemoteKeyedStateHandle write(
            CheckpointableKeyedStateBackend<Long> backend, ReadState state, long id)
            throws Exception {
        expected.put(id, state.expected());
        written = state.written();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = job.begin(backend, id);
        // What comes behind the barrier is not in it.
        state.change(random, SHARE);
        snapshot.run();
        return job.acknowledge(id, snapshot);
    }

    private void abort(CheckpointableKeyedStateBackend<Long> backend, ReadState state, long id)
            throws Exception {
        IncrementalRemoteKeyedStateHandle handle = write(backend, state, id);
        ((CheckpointListener) backend).notifyCheckpointAborted(id);
        job.giveUp(id, handle);
    }

    private void assertReadable(PythonReader python, Path table, long snapshot) throws Exception {
        TableRows sql = new FlinkSqlReader().read(table, snapshot);
        TableRows rows = sql.logical(stateNames(table, snapshot), ReadState.LISTS);
        rows.assertSameAs(expected.get(snapshot), "Flink SQL");
        assertThat(rows.size()).isGreaterThan(4000);
        assertThat(sql.checkpoints())
                .allMatch(id -> id >= 1 && id <= snapshot)
                .hasSizeGreaterThan(1);
        assertThat(
                        Stream.of("key", "v_row_0", "v_row_10", "uk_map", "v_map", "v_expiring")
                                .map(rows::count))
                .as("rows with typed columns")
                .allMatch(n -> n > 200);
        for (PythonReader.Library library : PythonReader.Library.values()) {
            python.read(library, table, snapshot).assertSameAs(sql, library.toString());
        }
    }

    /** Names of the states by their numbers, from the properties of the snapshot. */
    private static Map<String, String> stateNames(Path table, long snapshot) {
        Map<String, String> properties = Tables.open(table).snapshot(snapshot).properties();
        Map<String, String> names = new HashMap<>();
        for (int st = 0; properties.containsKey(nameProperty(st)); st++) {
            names.put(Integer.toString(st), properties.get(nameProperty(st)));
        }
        return names;
    }

    private static String nameProperty(int st) {
        return "streamfusion.state." + st + ".name";
    }
}
