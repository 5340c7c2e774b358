package io.streamfusion.state.memory.snapshot;

import java.util.List;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * A segment file of a checkpoint and where it is stored.
 *
 * @param number the segment's number, unique within the chain of one backend
 * @param sections the key groups that a checkpoint needs from it, ascending
 * @param bytes length of the file
 * @param handle the stored file; never a placeholder
 */
public record SegmentFile(
        long number, List<SegmentSection> sections, long bytes, StreamStateHandle handle) {
    private static final String SUFFIX = ".segment";

    public SegmentFile {
        sections = List.copyOf(sections);
    }

    /** The name under which a checkpoint handle and a local directory know a segment. */
    public static String nameOf(long number) {
        return number + SUFFIX;
    }

    /** The name under which a checkpoint handle and a local directory know this segment. */
    public String name() {
        return nameOf(number);
    }
}
