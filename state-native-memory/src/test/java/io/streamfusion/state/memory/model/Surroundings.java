package io.streamfusion.state.memory.model;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;

/**
 * What histories have in common: slots, and one thread that writes snapshots beside the steps.
 *
 * @param backend what histories are played on
 * @param slots a simulated task for each subtask, with managed memory of its own
 * @param writer runs asynchronous parts of snapshots
 */
record Surroundings(HistoryBackend backend, List<MockEnvironment> slots, ExecutorService writer) {
    private static final long SLOT_BYTES = 128L << 20;

    static Surroundings create(HistoryBackend backend) {
        return new Surroundings(
                backend,
                IntStream.range(0, Job.MAX_PARALLELISM)
                        .mapToObj(
                                subtask ->
                                        MockEnvironment.builder()
                                                .setManagedMemorySize(SLOT_BYTES)
                                                .build())
                        .toList(),
                Executors.newSingleThreadExecutor());
    }

    void close() throws Exception {
        writer.close();
        for (MockEnvironment slot : slots) {
            slot.close();
        }
    }
}
