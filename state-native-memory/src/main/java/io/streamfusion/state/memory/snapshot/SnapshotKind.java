package io.streamfusion.state.memory.snapshot;

/** What a snapshot contains and whether later ones may build on it. */
public enum SnapshotKind {
    /** What changed since the last completed checkpoint. */
    INCREMENTAL,
    /** Everything, self-contained, never a base. */
    FULL,
    /** Everything, and a base for later incremental snapshots. */
    FULL_BASE
}
