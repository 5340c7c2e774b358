package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeCompression;

/**
 * What the user can choose about checkpoints.
 *
 * @param incremental whether a checkpoint writes only what changed since the last completed one
 * @param compression compression of the blocks of segment files
 */
public record SnapshotSettings(boolean incremental, NativeCompression compression) {}
