package io.streamfusion.state.memory.model;

import io.streamfusion.ffi.NativeCompression;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.StreamFusionOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
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
    private static final int MAX_PARALLELISM = 3;

    /** A subtask on both backends. */
    record Pair<K>(Task<K> ours, Task<K> stock) {}

    private final KeySpace<K> keys;
    private final StateBackend ours;
    private final StateBackend stock = new HashMapStateBackend();
    private final MockTtlTimeProvider clock = new MockTtlTimeProvider();
    private final Environment environment;
    private final List<Pair<K>> running = new ArrayList<>();

    /** A job as a step of kind {@link StepKind#SETUP} describes it, not yet running. */
    Job(KeySpace<K> keys, Step setup, Environment environment) {
        this.keys = keys;
        this.environment = environment;
        Configuration options = new Configuration();
        NativeCompression[] compressions = NativeCompression.values();
        options.set(
                StreamFusionOptions.CHECKPOINT_COMPRESSION,
                compressions[setup.c() % compressions.length]);
        options.set(StreamFusionOptions.CHUNK_SIZE, MemorySize.parse("4kb"));
        boolean incremental = setup.b() % 4 != 0;
        this.ours =
                new StreamFusionMemoryStateBackend(incremental)
                        .configure(options, Job.class.getClassLoader());
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
            Task<K> stockTask = Task.start(stock, environment, clock, keys, range, expected);
            running.add(
                    new Pair<>(
                            Task.start(ours, environment, clock, keys, range, handles), stockTask));
        }
    }

    /** Ends all subtasks. */
    void stop() throws IOException {
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
