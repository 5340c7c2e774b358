package io.streamfusion.state.memory.model;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;

/**
 * What histories have in common: a slot, and one thread that writes snapshots beside the steps.
 *
 * @param environment of the simulated task
 * @param writer runs asynchronous parts of snapshots
 */
record Surroundings(MockEnvironment environment, ExecutorService writer) {
    private static final long SLOT_BYTES = 128L << 20;

    static Surroundings create() {
        return new Surroundings(
                MockEnvironment.builder().setManagedMemorySize(SLOT_BYTES).build(),
                Executors.newSingleThreadExecutor());
    }

    void close() throws Exception {
        writer.close();
        environment.close();
    }
}
