package io.streamfusion.state.memory.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;

/**
 * The running subtasks of a job, each twice: on our backend and on the stock one.
 *
 * @param <K> type of the keys
 */
final class Job<K> implements AutoCloseable {
    static final int MAX_PARALLELISM = 3;

    /** A subtask on both backends. */
    record Pair<K>(Task<K> ours, Task<K> stock) {}

    private final KeySpace<K> keys;
    private final HistoryBackend kind;
    private final StateBackend ours;
    private final int padding;
    private final StateBackend stock = new HashMapStateBackend();
    private final MockTtlTimeProvider clock = new MockTtlTimeProvider();
    private final List<? extends Environment> slots;
    private final List<Pair<K>> running = new ArrayList<>();

    /** A job as a step of kind {@link StepKind#SETUP} describes it, not yet running. */
    Job(KeySpace<K> keys, Step setup, Surroundings surroundings) {
        this.keys = keys;
        this.slots = surroundings.slots();
        this.kind = surroundings.backend();
        boolean incremental = setup.b() % 4 != 0;
        this.ours = kind.create(incremental, setup.c());
        this.padding = kind.padding(setup.c());
    }

    KeySpace<K> keys() {
        return keys;
    }

    MockTtlTimeProvider clock() {
        return clock;
    }

    List<Pair<K>> running() {
        return running;
    }

    /** The subtask of a key. */
    Pair<K> of(K key) {
        return running.stream().filter(pair -> pair.ours().owns(key)).findFirst().orElseThrow();
    }

    /** Starts all subtasks, from a snapshot if there is one. */
    void start(int parallelismNumber, Optional<Snapshot> snapshot) throws Exception {
        int parallelism = 1 + parallelismNumber % MAX_PARALLELISM;
        List<KeyedStateHandle> handles =
                snapshot.<List<KeyedStateHandle>>map(Snapshot::handles).orElse(List.of());
        List<KeyedStateHandle> expected =
                snapshot.<List<KeyedStateHandle>>map(Snapshot::expected).orElse(List.of());
        for (int i = 0; i < parallelism; i++) {
            KeyGroupRange range =
                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                            KeySpace.KEY_GROUPS, parallelism, i);
            Task<K> stockTask =
                    Task.start(
                            stock,
                            slots.get(i),
                            new UnregisteredMetricsGroup(),
                            clock,
                            keys,
                            padding,
                            range,
                            expected);
            running.add(
                    new Pair<>(
                            Task.start(
                                    ours,
                                    slots.get(i),
                                    kind.metrics(),
                                    clock,
                                    keys,
                                    padding,
                                    range,
                                    handles),
                            stockTask));
        }
    }

    /** Ends all subtasks. */
    void stop() throws IOException {
        kind.tasksEnd();
        for (Pair<K> pair : running) {
            pair.ours().close();
            pair.stock().close();
        }
        running.clear();
    }

    @Override
    public void close() throws IOException {
        stop();
    }
}
