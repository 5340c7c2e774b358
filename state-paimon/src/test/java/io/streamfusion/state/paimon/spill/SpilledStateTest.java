package io.streamfusion.state.paimon.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.StreamFusionOptions;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.kit.LargeRows;
import io.streamfusion.state.paimon.kit.PaimonTask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** State of ten times the budget is what the hashmap backend makes of the same steps. */
@ExtendWith(NoNativeLeaks.class)
class SpilledStateTest {
    private static final int BUDGET = 6 << 20;
    private static final int KEYS = 10 * BUDGET / LargeRows.BYTES_A_KEY;

    /** Rows that are removed or compacted have to be moved first, budget or not. */
    private static final int OVERDRAFT = BUDGET / 4;

    private static final KeyGroupRange LOW = KeyGroupRange.of(0, 40);
    private static final KeyGroupRange HIGH = KeyGroupRange.of(41, 127);

    @TempDir Path directory;
    private Path spill;
    private PaimonTask task;
    private final Backends<Integer> stock = new Backends<>(IntSerializer.INSTANCE, 128);
    private final Random random = new Random(7);
    private Storage stockStorage;
    private LargeRows expected;

    @BeforeEach
    void createTask() throws Exception {
        spill = Files.createDirectory(directory.resolve("spill"));
        task = new PaimonTask(directory.resolve("checkpoints"));
        stockStorage = new Storage(directory.resolve("stock"));
        expected = new LargeRows(hashmap());
    }

    @AfterEach
    void closeTask() throws Exception {
        task.close();
        stock.close();
        try (Stream<Path> left = Files.list(spill)) {
            assertThat(left).as("what is left of the backends' directories").isEmpty();
        }
    }

    private CheckpointableKeyedStateBackend<Integer> hashmap(KeyedStateHandle... handles)
            throws Exception {
        return stock.create(new HashMapStateBackend(), stock.allKeyGroups(), List.of(handles));
    }

    private CheckpointableKeyedStateBackend<Integer> small(
            KeyGroupRange range, KeyedStateHandle... handles) throws Exception {
        Configuration options =
                new Configuration()
                        .set(StreamFusionOptions.FIXED_PER_SLOT, new MemorySize(BUDGET))
                        .set(PaimonOptions.SPILL_DIRECTORIES, List.of(spill.toString()));
        return task.backend(options, range, handles);
    }

    private CheckpointableKeyedStateBackend<Integer> small(KeyedStateHandle... handles)
            throws Exception {
        return small(task.allKeyGroups(), handles);
    }

    private void fill(LargeRows rows) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            long seed = random.nextLong();
            rows.write(key, new Random(seed));
            expected.write(key, new Random(seed));
        }
        assertThat(StreamFusionAbi.sf_charged_bytes())
                .isBetween(BUDGET / 2L, (long) BUDGET + OVERDRAFT);
    }

    private void change(LargeRows rows, int keys) throws Exception {
        for (int i = 0; i < keys; i++) {
            int key = random.nextInt(KEYS);
            long seed = random.nextLong();
            rows.change(key, new Random(seed));
            expected.change(key, new Random(seed));
        }
    }

    private void assertSame(LargeRows rows, KeyGroupRange range) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            if (range.contains(KeyGroupRangeAssignment.assignToKeyGroup(key, 128))) {
                assertThat(rows.digest(key)).as("key %d", key).isEqualTo(expected.digest(key));
            }
        }
        assertThat(StreamFusionAbi.sf_charged_bytes()).isLessThan(BUDGET + OVERDRAFT);
    }

    private LargeRows assertSame(CheckpointableKeyedStateBackend<Integer> restored)
            throws Exception {
        LargeRows rows = new LargeRows(restored);
        assertSame(rows, restored.getKeyGroupRange());
        return rows;
    }

    @Test
    void throughCheckpointsWhileTheTaskGoesOn() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = small();
        LargeRows rows = new LargeRows(backend);
        fill(rows);
        assertSame(rows, task.allKeyGroups());
        KeyedStateHandle last = null;
        for (int checkpoint = 1; checkpoint <= 6; checkpoint++) {
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                    task.begin(backend, checkpoint, CheckpointType.CHECKPOINT);
            if (checkpoint == 6) {
                last = task.acknowledged(snapshot, checkpoint);
                break;
            }
            Thread writer = Thread.ofPlatform().start(snapshot);
            change(rows, KEYS / 4);
            writer.join();
            task.acknowledged(snapshot, checkpoint);
            if (checkpoint == 3) {
                ((CheckpointListener) backend).notifyCheckpointAborted(checkpoint);
            } else {
                ((CheckpointListener) backend).notifyCheckpointComplete(checkpoint);
            }
        }
        assertSame(rows, task.allKeyGroups());
        Backends.dispose(backend);

        CheckpointableKeyedStateBackend<Integer> restored = small(last);
        LargeRows goesOn = assertSame(restored);
        change(goesOn, KEYS / 2);
        assertSame(goesOn, task.allKeyGroups());
        assertThat(goesOn.fire()).isEqualTo(expected.fire());
    }

    @Test
    void throughRescaling() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = small();
        LargeRows rows = new LargeRows(backend);
        fill(rows);
        task.complete(backend, 1);
        change(rows, KEYS / 3);
        KeyedStateHandle whole = task.checkpoint(backend, 2);
        Backends.dispose(backend);

        List<KeyedStateHandle> halves = new ArrayList<>();
        for (KeyGroupRange range : List.of(LOW, HIGH)) {
            CheckpointableKeyedStateBackend<Integer> half = small(range, whole);
            assertSame(half);
            halves.add(task.checkpoint(half, 3));
            Backends.dispose(half);
        }
        CheckpointableKeyedStateBackend<Integer> joined = small(halves.get(0), halves.get(1));
        LargeRows goesOn = assertSame(joined);
        change(goesOn, KEYS / 3);
        assertSame(goesOn, task.allKeyGroups());
        assertThat(goesOn.fire()).isEqualTo(expected.fire());
    }

    @Test
    void throughSavepointsOfBothFormats() throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = small();
        LargeRows rows = new LargeRows(backend);
        fill(rows);
        KeyedStateHandle savepoint = task.savepoint(backend, 1);
        List<KeyedStateHandle> canonical = stockStorage.canonicalSavepoint(backend, 2);
        Backends.dispose(backend);

        for (KeyedStateHandle handle : List.of(savepoint, canonical.get(0))) {
            CheckpointableKeyedStateBackend<Integer> restored = small(handle);
            assertSame(restored);
            Backends.dispose(restored);
        }
        LargeRows inHeap = new LargeRows(hashmap(canonical.get(0)));
        for (int key = 0; key < KEYS; key++) {
            assertThat(inHeap.digest(key)).as("key %d", key).isEqualTo(expected.digest(key));
        }
        assertThat(inHeap.fire()).isEqualTo(expected.fire());
    }
}
