package io.streamfusion.state.memory.snapshot.kit;

import org.apache.flink.runtime.state.CheckpointStreamFactory;

/** Checkpoint storage in which one write fails. */
public interface FailurePoint extends AutoCloseable {
    /** Creates the files; the one that fails among them. */
    CheckpointStreamFactory factory();

    /** Whether the point was reached. */
    boolean failed();

    /** Does something at that point, once, and goes on writing. */
    void insteadOfFailing(Runnable action);

    /** No write fails any more. */
    @Override
    void close();
}
