package io.streamfusion.state.memory.snapshot;

import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * A file with rows that several checkpoints may refer to: a segment, a data file of a table.
 *
 * @param number the file's number, unique within the chain of one backend
 * @param name the name under which checkpoint handles and local directories know it
 * @param bytes length of the file
 * @param handle the stored file; never a placeholder
 */
public record StateFile(long number, String name, long bytes, StreamStateHandle handle) {}
