package io.streamfusion.state.memory.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Subtasks come and go; the union of their state stays what it was. */
@ExtendWith(NoNativeLeaks.class)
public class RescaleTest implements TestedBackend {
    private static final int KEY_GROUPS = 128;
    private static final List<Integer> KEYS = IntStream.range(0, 500).boxed().toList();

    @TempDir Path directory;
    private Backends<Integer> backends;
    private final SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
    private final List<CheckpointableKeyedStateBackend<Integer>> running = new ArrayList<>();
    private final IdentityHashMap<Contents<Integer>, KeyGroupRange> ranges =
            new IdentityHashMap<>();
    private Storage storage;
    private long nextCheckpoint = 1;

    @BeforeEach
    void createStorage() throws Exception {
        backends = new Backends<>(IntSerializer.INSTANCE, KEY_GROUPS, () -> backend(true));
        storage = new Storage(directory);
    }

    @AfterEach
    void closeBackends() throws Exception {
        backends.close();
    }

    @Test
    void outAndBackIn() throws Exception {
        List<Contents<Integer>> four = start(4, List.of());
        for (Contents<Integer> subtask : four) {
            subtask.write(keysOf(subtask, KEYS), 1);
        }
        Map<String, String> expected = union(four);
        List<KeyedStateHandle> fourHandles = checkpoints();

        List<Contents<Integer>> one = start(1, fourHandles);
        assertThat(union(one)).isEqualTo(expected);
        one.get(0).change(KEYS, 2);
        Map<String, String> changed = union(one);
        List<KeyedStateHandle> oneHandle = checkpoints();

        List<Contents<Integer>> three = start(3, oneHandle);
        assertThat(union(three)).isEqualTo(changed);
        for (Contents<Integer> subtask : three) {
            subtask.change(keysOf(subtask, KEYS), 3);
        }
        Map<String, String> last = drain(three);
        // Draining fired the timers, so the next restore has none.
        assertThat(last).containsKey("timers 0");
        List<KeyedStateHandle> threeHandles = checkpoints();
        Map<String, String> rows = union(three);
        assertThat(union(start(2, threeHandles))).isEqualTo(rows);
        assertThat(union(start(5, threeHandles))).isEqualTo(rows);
    }

    @Test
    void timersGoWithTheirKeyGroups() throws Exception {
        List<Contents<Integer>> two = start(2, List.of());
        for (Contents<Integer> subtask : two) {
            subtask.write(keysOf(subtask, KEYS), 1);
        }
        List<KeyedStateHandle> handles = checkpoints();
        assertThat(timersOf(start(3, handles))).isEqualTo(timersOf(two)).hasSize(KEYS.size() * 5);
    }

    @Test
    void onlyOneKeyGroupWasEverWritten() throws Exception {
        int keyGroup = 77;
        List<Integer> keys =
                IntStream.range(0, 20_000)
                        .filter(
                                key ->
                                        KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS)
                                                == keyGroup)
                        .boxed()
                        .toList();
        List<Contents<Integer>> one = start(1, List.of());
        one.get(0).write(keys, 1);
        List<KeyedStateHandle> first = checkpoints();
        one.get(0).change(keys, 2);
        List<KeyedStateHandle> second = checkpoints();
        Map<String, String> expected = one.get(0).read(keys);
        assertThat(expected).hasSizeGreaterThan(1000);

        List<Contents<Integer>> three = start(3, second);
        assertThat(unionOf(three, keys)).isEqualTo(expected);
        assertThat(unionOf(start(3, first), keys)).isNotEqualTo(expected);
    }

    /** Only one of four subtasks ever touched the state; the others know nothing of it. */
    @Test
    void subtasksThatNeverTouchedAState() throws Exception {
        List<Contents<Integer>> four = start(4, List.of());
        List<Integer> keys = keysOf(four.get(2), KEYS);
        four.get(2).write(keys, 1);
        List<KeyedStateHandle> handles = checkpoints();
        assertThat(handles).hasSize(1);
        Map<String, String> expected = union(four);

        List<Contents<Integer>> one = start(1, handles);
        assertThat(union(one)).isEqualTo(expected);
        assertThat(union(start(3, checkpoints()))).isEqualTo(expected);
    }

    /** States registered in different orders in the subtasks get one identity. */
    @Test
    void subtasksThatRegisteredStatesInDifferentOrders() throws Exception {
        List<Contents<Integer>> two = start(2, List.of());
        List<Integer> first = keysOf(two.get(0), KEYS);
        List<Integer> second = keysOf(two.get(1), KEYS);
        two.get(0).write(first, 1);
        // Reading registers "value" and so on; changing registers in another order.
        two.get(1).change(second, 9);
        two.get(1).write(second, 2);
        Map<String, String> expected = union(two);
        assertThat(union(start(1, checkpoints()))).isEqualTo(expected);
    }

    /** A subtask may write rows where another writes segments; see full checkpoints of lists. */
    @Test
    void nativeAndCanonicalPartsOfOneCheckpoint() throws Exception {
        List<Contents<Integer>> three = start(3, List.of());
        for (Contents<Integer> subtask : three) {
            subtask.write(keysOf(subtask, KEYS), 1);
        }
        List<KeyedStateHandle> mixed = new ArrayList<>();
        mixed.add(storage.checkpoint(running.get(0), 1));
        mixed.addAll(storage.canonicalSavepoint(running.get(1), 1));
        mixed.add(storage.checkpoint(running.get(2), 1));
        Map<String, String> expected = union(three);
        List<Contents<Integer>> two = start(2, mixed);
        assertThat(union(two)).isEqualTo(expected);
        assertThat(timersOf(two)).isEqualTo(timersOf(three)).hasSize(KEYS.size() * 5);
        assertThat(union(start(1, checkpoints()))).isEqualTo(expected);
    }

    @Test
    void aCanonicalSavepointRescales() throws Exception {
        List<Contents<Integer>> two = start(2, List.of());
        for (Contents<Integer> subtask : two) {
            subtask.write(keysOf(subtask, KEYS), 1);
        }
        List<KeyedStateHandle> savepoint = new ArrayList<>();
        for (CheckpointableKeyedStateBackend<Integer> backend : running) {
            savepoint.addAll(storage.canonicalSavepoint(backend, 1));
        }
        Map<String, String> expected = union(two);
        assertThat(union(start(3, savepoint))).isEqualTo(expected);
        assertThat(union(start(1, savepoint))).isEqualTo(expected);
    }

    /** Starts a job of that parallelism the way Flink assigns handles. */
    private List<Contents<Integer>> start(int parallelism, List<KeyedStateHandle> handles)
            throws Exception {
        running.clear();
        List<Contents<Integer>> subtasks = new ArrayList<>();
        for (int i = 0; i < parallelism; i++) {
            KeyGroupRange range =
                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                            KEY_GROUPS, parallelism, i);
            List<KeyedStateHandle> assigned =
                    handles.stream()
                            .map(handle -> handle.getIntersection(range))
                            .filter(Objects::nonNull)
                            .toList();
            CheckpointableKeyedStateBackend<Integer> backend =
                    backends.create(backend(true), range, assigned);
            running.add(backend);
            Contents<Integer> contents = Contents.of(backend);
            ranges.put(contents, range);
            subtasks.add(contents);
        }
        return subtasks;
    }

    private List<KeyedStateHandle> checkpoints() throws Exception {
        long id = nextCheckpoint++;
        List<KeyedStateHandle> handles = new ArrayList<>();
        for (CheckpointableKeyedStateBackend<Integer> backend : running) {
            KeyedStateHandle handle = storage.completeCheckpoint(backend, id);
            if (handle != null) {
                handle.registerSharedStates(jobManager, id);
                handles.add(handle);
            }
        }
        return handles;
    }

    private List<Integer> keysOf(Contents<Integer> subtask, List<Integer> keys) {
        return keys.stream()
                .filter(
                        key ->
                                ranges.get(subtask)
                                        .contains(
                                                KeyGroupRangeAssignment.assignToKeyGroup(
                                                        key, KEY_GROUPS)))
                .toList();
    }

    private static Map<String, String> union(List<Contents<Integer>> subtasks) throws Exception {
        return unionOf(subtasks, KEYS);
    }

    private static Map<String, String> unionOf(List<Contents<Integer>> subtasks, List<Integer> keys)
            throws Exception {
        Map<String, String> union = new TreeMap<>();
        for (Contents<Integer> subtask : subtasks) {
            union.putAll(subtask.read(keys));
        }
        return union;
    }

    private static Map<String, String> drain(List<Contents<Integer>> subtasks) throws Exception {
        Map<String, String> union = new TreeMap<>();
        for (int i = 0; i < subtasks.size(); i++) {
            Map<String, String> part = subtasks.get(i).drain(KEYS);
            union.put("timers " + i, part.remove("timers"));
            union.putAll(part);
        }
        return union;
    }

    private static List<String> timersOf(List<Contents<Integer>> subtasks) throws Exception {
        List<String> timers = new ArrayList<>();
        for (Contents<Integer> subtask : subtasks) {
            timers.addAll(subtask.drainTimers());
        }
        timers.sort(null);
        return timers;
    }
}
