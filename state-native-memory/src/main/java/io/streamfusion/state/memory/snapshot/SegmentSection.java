package io.streamfusion.state.memory.snapshot;

/**
 * One key group's part of a segment file.
 *
 * @param keyGroup absolute key group
 * @param full whether it replaces everything older of this key group; else it adds to it
 * @param bytes its length in the file
 */
public record SegmentSection(int keyGroup, boolean full, long bytes) {}
