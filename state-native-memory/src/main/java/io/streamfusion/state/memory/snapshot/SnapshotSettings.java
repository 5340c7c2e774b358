package io.streamfusion.state.memory.snapshot;

/**
 * What the user can choose about checkpoints.
 *
 * @param incremental whether a checkpoint writes only what changed since the last completed one
 * @param form what checkpoints consist of
 */
public record SnapshotSettings(boolean incremental, DurableForm form) {}
