package io.streamfusion.state.memory.rss;

import io.streamfusion.ffi.NativeException;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * Fills a keyed backend until its budget refuses, several times, with updates, removals and
 * checkpoints going on. A main class of a JVM of its own; argument: the budget in megabytes.
 */
final class StateFiller {
    private static final int KEY_GROUPS = 128;
    private static final int WARM_UP_MEGABYTES = 16;
    private static final int ROUNDS = 3;

    /** Checkpoints by bytes, so that their number does not depend on the budget. */
    private static final int CHECKPOINTS_A_ROUND = 12;

    private final MockEnvironment environment;
    private final AbstractKeyedStateBackend<Long> backend;
    private final long budget;
    private final ValueState<byte[]> value;
    private final MapState<Long, byte[]> map;
    private final ListState<byte[]> list;
    private final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>>
            timers;

    /** A daemon, so that the process ends when the main thread fails. */
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());

    private final DiscardingStorage storage = new DiscardingStorage();
    private final Deque<Running> running = new ArrayDeque<>();
    private final Random random = new Random(42);
    private long keys;
    private long checkpoints;

    private record Running(long id, Future<?> writing) {}

    private StateFiller(int megabytes) throws Exception {
        budget = (long) megabytes << 20;
        environment = MockEnvironment.builder().setManagedMemorySize(budget).build();
        backend =
                new StreamFusionMemoryStateBackend(true)
                        .createKeyedStateBackend(
                                new KeyedStateBackendParametersImpl<>(
                                        environment,
                                        new JobID(),
                                        "operator",
                                        LongSerializer.INSTANCE,
                                        KEY_GROUPS,
                                        KeyGroupRange.of(0, KEY_GROUPS - 1),
                                        environment.getTaskKvStateRegistry(),
                                        TtlTimeProvider.DEFAULT,
                                        new UnregisteredMetricsGroup(),
                                        (name, metric) -> {},
                                        List.of(),
                                        new CloseableRegistry(),
                                        1.0));
        value =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>("value", BytePrimitiveArraySerializer.INSTANCE));
        map =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new MapStateDescriptor<>(
                                "map",
                                LongSerializer.INSTANCE,
                                BytePrimitiveArraySerializer.INSTANCE));
        list =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ListStateDescriptor<>("list", BytePrimitiveArraySerializer.INSTANCE));
        timers =
                backend.create(
                        "timers",
                        new TimerSerializer<>(
                                LongSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE));
    }

    /** See the class comment. */
    public static void main(String[] arguments) throws Exception {
        StateFiller warmUp = new StateFiller(WARM_UP_MEGABYTES);
        for (int round = 0; round < ROUNDS; round++) {
            warmUp.fill();
            warmUp.removeHalf();
        }
        warmUp.end();
        StateFiller filler = new StateFiller(Integer.parseInt(arguments[0]));
        ChildJvm.announce("empty", StreamFusionAbi.sf_charged_bytes());
        for (int round = 0; round < ROUNDS; round++) {
            NativeException refusal = filler.fill();
            ChildJvm.announce(
                    "full",
                    StreamFusionAbi.sf_charged_bytes(),
                    filler.storage.bytes(),
                    refusal.kind(),
                    refusal.getMessage());
            filler.removeHalf();
        }
        filler.end();
        ChildJvm.announce(
                "closed", StreamFusionAbi.sf_live_handles(), StreamFusionAbi.sf_charged_bytes());
    }

    /** Writes until there is no memory. */
    private NativeException fill() throws Exception {
        try {
            for (long nextCheckpoint = budget / CHECKPOINTS_A_ROUND; ; ) {
                writeSomething();
                if (StreamFusionAbi.sf_charged_bytes() > nextCheckpoint) {
                    nextCheckpoint += budget / CHECKPOINTS_A_ROUND;
                    checkpoint();
                }
            }
        } catch (NativeException e) {
            return e;
        }
    }

    private void writeSomething() throws Exception {
        long key = keys++;
        backend.setCurrentKey(key);
        value.update(bytes());
        switch ((int) (key % 4)) {
            case 0 -> map.putAll(Map.of(1L, bytes(), 2L, bytes(), key, bytes()));
            case 1 -> list.add(bytes());
            case 2 -> timers.add(timer(key));
            default -> changeEarlier();
        }
    }

    private void changeEarlier() throws Exception {
        long key = random.nextLong(keys);
        backend.setCurrentKey(key);
        value.update(bytes());
        list.add(bytes());
        map.remove(1L);
        if (random.nextInt(4) == 0) {
            value.clear();
            timers.remove(timer(key));
        }
    }

    private void removeHalf() throws Exception {
        for (long key = 0; key < keys; key += 2) {
            backend.setCurrentKey(key);
            value.clear();
            map.clear();
            list.clear();
            timers.remove(timer(key));
        }
        checkpoint();
        finishCheckpoints(0);
    }

    private static TimerHeapInternalTimer<Long, VoidNamespace> timer(long key) {
        return new TimerHeapInternalTimer<>(key * 31, key, VoidNamespace.INSTANCE);
    }

    private byte[] bytes() {
        return new byte[random.nextInt(100) == 0 ? 5000 : random.nextInt(400)];
    }

    /** Starts a checkpoint that another thread writes; at most two are in flight. */
    private void checkpoint() throws Exception {
        finishCheckpoints(1);
        long id = ++checkpoints;
        running.add(
                new Running(
                        id,
                        writer.submit(
                                backend.snapshot(
                                        id,
                                        id,
                                        storage,
                                        new CheckpointOptions(
                                                CheckpointType.CHECKPOINT,
                                                CheckpointStorageLocationReference
                                                        .getDefault())))));
    }

    /** Every fourth checkpoint is given up. */
    private void finishCheckpoints(int leftInFlight) throws Exception {
        while (running.size() > leftInFlight) {
            Running oldest = running.remove();
            oldest.writing().get();
            if (oldest.id() % 4 == 3) {
                backend.notifyCheckpointAborted(oldest.id());
            } else {
                backend.notifyCheckpointComplete(oldest.id());
            }
        }
    }

    private void end() throws Exception {
        finishCheckpoints(0);
        writer.close();
        backend.dispose();
        environment.close();
    }
}
