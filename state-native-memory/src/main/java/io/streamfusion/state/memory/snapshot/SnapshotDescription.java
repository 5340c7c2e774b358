package io.streamfusion.state.memory.snapshot;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What the native side says about a finished snapshot.
 *
 * @param newSegment number of the segment just written, or {@link #NO_SEGMENT}
 * @param fileBytes length of the new segment file
 * @param rawBytes its rows before compression
 * @param segments the segments of the checkpoint, oldest first, the new one last
 */
record SnapshotDescription(long newSegment, long fileBytes, long rawBytes, List<Segment> segments) {
    static final long NO_SEGMENT = -1;
    private static final int KIND_FULL = 1;
    private static final int SECTION_BYTES = 2 * Integer.BYTES + Long.BYTES;

    /** One segment of the checkpoint. */
    record Segment(long number, List<SegmentSection> sections) {}

    SnapshotDescription {
        segments = List.copyOf(segments);
    }

    /** Reads {@code [epoch][new segment][rows][tombstones][file bytes][raw bytes]} and the list. */
    static SnapshotDescription parse(byte[] description) {
        ByteBuffer in = ByteBuffer.wrap(description).order(ByteOrder.LITTLE_ENDIAN);
        try {
            in.getLong();
            long newSegment = in.getLong();
            in.getLong();
            in.getLong();
            long fileBytes = in.getLong();
            long rawBytes = in.getLong();
            int count = in.getInt();
            List<Segment> segments = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                segments.add(new Segment(in.getLong(), readSections(in)));
            }
            return new SnapshotDescription(newSegment, fileBytes, rawBytes, segments);
        } catch (BufferUnderflowException e) {
            throw new IllegalStateException(
                    "The native library described a snapshot in " + description.length + " bytes",
                    e);
        }
    }

    /** Reads {@code [i32 n]} and n times {@code [i32 key group][i32 kind][i64 bytes]}. */
    static List<SegmentSection> readSections(ByteBuffer in) {
        int count = in.getInt();
        if (count < 0 || (long) count * SECTION_BYTES > in.remaining()) {
            throw new BufferUnderflowException();
        }
        List<SegmentSection> sections = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            sections.add(new SegmentSection(in.getInt(), in.getInt() == KIND_FULL, in.getLong()));
        }
        return sections;
    }

    /** Writes what {@link #readSections} reads. */
    static void writeSections(List<SegmentSection> sections, ByteBuffer out) {
        out.putInt(sections.size());
        for (SegmentSection section : sections) {
            out.putInt(section.keyGroup());
            out.putInt(section.full() ? KIND_FULL : 0);
            out.putLong(section.bytes());
        }
    }

    /** Bytes that {@link #writeSections} needs. */
    static int sectionsSize(List<SegmentSection> sections) {
        return Integer.BYTES + sections.size() * SECTION_BYTES;
    }
}
