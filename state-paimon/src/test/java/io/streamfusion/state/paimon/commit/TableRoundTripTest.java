package io.streamfusion.state.paimon.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import io.streamfusion.state.paimon.kit.Tables;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.paimon.table.FileStoreTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** State into a table, read by Paimon, and back into a backend. */
@ExtendWith(NoNativeLeaks.class)
class TableRoundTripTest {
    private static final List<Integer> KEYS = IntStream.range(0, 300).boxed().toList();
    private static final List<Integer> FEW_KEYS = List.of(3, 7, 250);

    @TempDir Path directory;
    private final Backends<Integer> backends = new Backends<>(IntSerializer.INSTANCE, 128);
    private final SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
    private Storage storage;

    @BeforeEach
    void createStorage() throws Exception {
        storage = new Storage(directory);
    }

    @AfterEach
    void closeBackends() throws Exception {
        backends.close();
    }

    private CheckpointableKeyedStateBackend<Integer> backend(KeyedStateHandle... handles)
            throws Exception {
        return backends.create(
                new StreamFusionPaimonStateBackend(true),
                backends.allKeyGroups(),
                List.of(handles));
    }

    private KeyedStateHandle complete(
            CheckpointableKeyedStateBackend<Integer> backend, long checkpoint) throws Exception {
        KeyedStateHandle handle = storage.checkpoint(backend, checkpoint);
        ((IncrementalRemoteKeyedStateHandle) handle).registerSharedStates(jobManager, checkpoint);
        ((CheckpointListener) backend).notifyCheckpointComplete(checkpoint);
        return handle;
    }

    @Test
    void restoresEveryKindOfState() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backend();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        KeyedStateHandle handle = storage.checkpoint(backend, 1);
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(expected).hasSizeGreaterThan(3000);
        assertThat(Contents.of(backend(handle)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void restoresAChainOfChanges() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backend();
        Contents<Integer> contents = Contents.of(backend);
        contents.write(KEYS, 1);
        complete(backend, 1);
        for (int i = 2; i < 12; i++) {
            contents.change(i % 2 == 0 ? KEYS : FEW_KEYS, i);
            complete(backend, i);
        }
        contents.change(FEW_KEYS, 12);
        KeyedStateHandle last = complete(backend, 12);
        Map<String, String> expected = contents.drain(KEYS);

        assertThat(Contents.of(backend(last)).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void goesOnFromARestoredTableInATableOfItsOwn() throws Exception {
        CheckpointableKeyedStateBackend<Integer> first = backend();
        Contents<Integer> written = Contents.of(first);
        written.write(KEYS, 1);
        complete(first, 1);
        written.change(FEW_KEYS, 2);
        KeyedStateHandle handle = complete(first, 2);

        CheckpointableKeyedStateBackend<Integer> second = backend(handle);
        Contents<Integer> contents = Contents.of(second);
        contents.change(FEW_KEYS, 3);
        KeyedStateHandle next = complete(second, 3);
        contents.change(KEYS, 4);
        KeyedStateHandle last = complete(second, 4);
        Map<String, String> expected = contents.drain(KEYS);

        List<Path> tables = Tables.find(directory);
        assertThat(tables).hasSize(2);
        assertThat(next.getStateSize()).isGreaterThan(0);
        Path table = tables.stream().filter(t -> hasSnapshot(t, 4)).findAny().orElseThrow();
        assertThat(Tables.byKey(Tables.open(table, 3))).isNotEmpty();
        assertThat(Tables.byKey(Tables.open(table))).isNotEmpty();
        assertThat(Contents.of(backend(last)).drain(KEYS)).isEqualTo(expected);
    }

    private static boolean hasSnapshot(Path table, long id) {
        return Tables.open(table).snapshotManager().snapshotExists(id);
    }

    @Test
    void paimonReadsWhatTheBackendHolds() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backend();
        ValueState<String> state = names(backend);
        Map<Integer, String> expected = new TreeMap<>();
        for (int checkpoint = 1; checkpoint <= 8; checkpoint++) {
            for (int key = checkpoint; key < 500; key += checkpoint) {
                backend.setCurrentKey(key);
                if (key % 7 == checkpoint % 7) {
                    state.clear();
                    expected.remove(key);
                } else {
                    state.update("näme " + key + "@" + checkpoint);
                    expected.put(key, "näme " + key + "@" + checkpoint);
                }
            }
            complete(backend, checkpoint);
            FileStoreTable table = Tables.open(Tables.find(directory).get(0));
            Map<Integer, String> found = new TreeMap<>();
            int key = table.rowType().getFieldIndex("key");
            int value = table.rowType().getFieldIndex("v_na_me");
            Tables.read(table, row -> Map.entry(row.getInt(key), row.getString(value).toString()))
                    .forEach(row -> assertThat(found.put(row.getKey(), row.getValue())).isNull());

            assertThat(found).isEqualTo(expected);
            assertThat(Tables.isRaw(table)).isTrue();
            assertThat(table.latestSnapshot().orElseThrow().properties())
                    .containsEntry("streamfusion.checkpoint-id", Integer.toString(checkpoint))
                    .containsEntry("streamfusion.operator", "operator")
                    .containsEntry("streamfusion.state.0.name", "na-me");
        }
    }

    private static ValueState<String> names(CheckpointableKeyedStateBackend<Integer> backend)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ValueStateDescriptor<>("na-me", StringSerializer.INSTANCE));
    }

    @Test
    void aStateThatComesLaterAddsAColumn() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = backend();
        backend.setCurrentKey(1);
        names(backend).update("one");
        complete(backend, 1);
        ValueState<Integer> counts =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>("count", IntSerializer.INSTANCE));
        counts.update(11);
        complete(backend, 2);

        FileStoreTable table = Tables.open(Tables.find(directory).get(0));
        int name = table.rowType().getFieldIndex("v_na_me");
        int count = table.rowType().getFieldIndex("v_count");
        assertThat(
                        Tables.read(
                                table,
                                row ->
                                        (row.isNullAt(name) ? "" : row.getString(name).toString())
                                                + (row.isNullAt(count) ? "" : row.getInt(count))))
                .containsExactlyInAnyOrder("one", "11");
    }
}
