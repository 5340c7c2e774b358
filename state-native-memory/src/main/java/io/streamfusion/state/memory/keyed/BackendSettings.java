package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeCompression;
import java.io.Serializable;

/**
 * What the user has chosen for a backend.
 *
 * @param incremental checkpoints write only what changed since the last completed one
 * @param compression compression of segment files
 * @param restoreThreads threads that read segment files at the same time
 * @param sweepsExpiredRows rows past their time to live are removed in the background
 */
public record BackendSettings(
        boolean incremental,
        NativeCompression compression,
        int restoreThreads,
        boolean sweepsExpiredRows)
        implements Serializable {}
