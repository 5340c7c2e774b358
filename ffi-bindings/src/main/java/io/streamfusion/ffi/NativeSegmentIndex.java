package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The footer of a segment file: where each key group's section lies.
 *
 * @param neededTail 0, or how many bytes of the file's end are needed to read the footer (then the
 *     rest is empty)
 * @param segmentNo number of the segment within its chain
 * @param version format version
 * @param entries one per key group, ordered
 */
public record NativeSegmentIndex(int neededTail, long segmentNo, int version, List<Entry> entries) {

    /**
     * One key group's section.
     *
     * @param keyGroup absolute key group
     * @param kind 1 replaces everything older, 0 adds to it
     * @param offset where it begins in the file
     * @param length its bytes
     * @param rows rows and tombstones in it
     */
    public record Entry(int keyGroup, int kind, long offset, long length, long rows) {}

    private static final int HEADER_BYTES = 16;
    private static final int ENTRY_BYTES = 32;

    /**
     * Reads the footer.
     *
     * @param tail the last bytes of the file
     * @param fileLength its whole length
     * @param name named in the message when the bytes are damaged
     * @throws NativeException of kind CORRUPT when this is no intact segment of a known version
     */
    public static NativeSegmentIndex parse(byte[] tail, long fileLength, String name) {
        return NativeFooter.parse(
                StreamFusionAbi::sf_segment_index,
                tail,
                fileLength,
                name,
                needed -> new NativeSegmentIndex(needed, -1, -1, List.of()),
                NativeSegmentIndex::read);
    }

    private static NativeSegmentIndex read(MemorySegment out) {
        int count = out.get(ValueLayout.JAVA_INT_UNALIGNED, 12);
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long at = HEADER_BYTES + (long) i * ENTRY_BYTES;
            entries.add(
                    new Entry(
                            out.get(ValueLayout.JAVA_INT_UNALIGNED, at),
                            out.get(ValueLayout.JAVA_INT_UNALIGNED, at + 4),
                            out.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 8),
                            out.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 16),
                            out.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 24)));
        }
        return new NativeSegmentIndex(
                0,
                out.get(ValueLayout.JAVA_LONG_UNALIGNED, 0),
                out.get(ValueLayout.JAVA_INT_UNALIGNED, 8),
                List.copyOf(entries));
    }
}
