package io.streamfusion.state.memory.keyed;

import java.io.Serializable;

/**
 * What the user has chosen for a backend.
 *
 * @param incremental checkpoints write only what changed since the last completed one
 * @param restoreThreads threads that read files of a checkpoint at the same time
 * @param sweepsExpiredRows rows past their time to live are removed in the background
 */
public record BackendSettings(boolean incremental, int restoreThreads, boolean sweepsExpiredRows)
        implements Serializable {}
