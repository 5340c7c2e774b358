package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeStateKind;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * The metadata file of a checkpoint: who wrote it, which states it has, and which segment files
 * make it up. The format is described in {@code docs/formats/memory-manifest.md}.
 *
 * @param backendId identity of the backend that wrote it
 * @param checkpointId the checkpoint
 * @param numberOfKeyGroups maximum parallelism of the job
 * @param firstKeyGroup first key group of the backend
 * @param lastKeyGroup last key group of the backend, inclusive
 * @param keyedBackendMetadata Flink's description of the key serializer and the states, in the
 *     order of {@code states}
 * @param states identifiers of the states within the segment files
 * @param segments the segment files, oldest first
 */
public record CheckpointManifest(
        UUID backendId,
        long checkpointId,
        int numberOfKeyGroups,
        int firstKeyGroup,
        int lastKeyGroup,
        ByteBuffer keyedBackendMetadata,
        List<State> states,
        List<Segment> segments) {

    /**
     * A state within segment files.
     *
     * @param id its number there
     * @param kind layout of its rows
     * @param name its name in Flink
     */
    public record State(int id, NativeStateKind kind, String name) {}

    /**
     * A segment file.
     *
     * @param number its number within the chain
     * @param bytes its length
     * @param sections the key groups that the checkpoint needs from it, ascending
     */
    public record Segment(long number, long bytes, List<SegmentSection> sections) {
        public Segment {
            sections = List.copyOf(sections);
        }
    }

    public CheckpointManifest {
        states = List.copyOf(states);
        segments = List.copyOf(segments);
    }

    /** A view of its own for each caller. */
    @Override
    public ByteBuffer keyedBackendMetadata() {
        return keyedBackendMetadata.asReadOnlyBuffer();
    }
}
