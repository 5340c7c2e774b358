package io.streamfusion.state.memory.snapshot;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The segment files of a checkpoint, oldest first, as a manifest lists them: {@code [i32 n]} and
 * per segment {@code [i64 number][i64 bytes]} and its sections.
 */
public record SegmentList(List<Segment> segments) {

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

    public SegmentList {
        segments = List.copyOf(segments);
    }

    /**
     * Decodes what {@link #contents()} has encoded.
     *
     * @param file the manifest, named when it is damaged
     */
    public static SegmentList read(CheckpointManifest.Contents contents, String file)
            throws CorruptCheckpointException {
        ByteBuffer in = contents.bytes().order(ByteOrder.LITTLE_ENDIAN);
        try {
            int count = in.getInt();
            List<Segment> segments = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                segments.add(
                        new Segment(
                                in.getLong(), in.getLong(), SnapshotDescription.readSections(in)));
            }
            return new SegmentList(segments);
        } catch (BufferUnderflowException e) {
            throw CorruptCheckpointException.shortBlock(file);
        }
    }

    /** The list as contents of a manifest. */
    public CheckpointManifest.Contents contents() {
        int size = Integer.BYTES;
        for (Segment segment : segments) {
            size += 2 * Long.BYTES + SnapshotDescription.sectionsSize(segment.sections());
        }
        ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(segments.size());
        for (Segment segment : segments) {
            out.putLong(segment.number());
            out.putLong(segment.bytes());
            SnapshotDescription.writeSections(segment.sections(), out);
        }
        return new CheckpointManifest.Contents(CheckpointManifest.Form.SEGMENTS, out.flip());
    }

    /**
     * The segments as the native side lists them: {@code [i32 n]} and per segment {@code [i64
     * number][i32 n]} with n times {@code [i32 key group][i32 kind][i64 bytes]}.
     */
    public byte[] chain() {
        int size = Integer.BYTES;
        for (Segment segment : segments) {
            size += Long.BYTES + SnapshotDescription.sectionsSize(segment.sections());
        }
        byte[] content = new byte[size];
        ByteBuffer out = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(segments.size());
        for (Segment segment : segments) {
            out.putLong(segment.number());
            SnapshotDescription.writeSections(segment.sections(), out);
        }
        return content;
    }
}
