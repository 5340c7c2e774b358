package io.streamfusion.state.memory.model;

import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.StateBackend;

/** The backend that histories are played on; the tests of other backends replace it. */
public interface HistoryBackend {
    /**
     * The backend of one history.
     *
     * @param incremental whether checkpoints write only what changed
     * @param variant which of its settings, every number of them from 0 on is legal
     */
    StateBackend create(boolean incremental, int variant);

    /** How many characters longer the text of a value is, so that there is more state. */
    default int padding(int variant) {
        return 0;
    }

    /** Storage for the checkpoints of one history. */
    ModelStorage storage();

    /** Where tasks register their metrics. */
    default MetricGroup metrics() {
        return new UnregisteredMetricsGroup();
    }

    /** Tasks are about to end: their metrics still show what they did. */
    default void tasksEnd() {}
}
