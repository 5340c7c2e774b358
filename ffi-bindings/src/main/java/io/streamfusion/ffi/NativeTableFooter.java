package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The footer of a data file of a table: where its row groups lie.
 *
 * @param neededTail 0, or how many bytes of the file's end are needed to read the footer (then the
 *     rest is empty)
 * @param rowGroups in the order of the file, which is that of key groups
 */
public record NativeTableFooter(int neededTail, List<RowGroup> rowGroups) {

    /**
     * A row group.
     *
     * @param offset where its bytes begin in the file
     * @param length number of its bytes
     * @param rows number of its rows, dead ones too
     * @param firstRow number of rows before it in the file
     * @param firstKeyGroup absolute key group of its first row
     * @param lastKeyGroup absolute key group of its last row
     */
    public record RowGroup(
            long offset,
            long length,
            long rows,
            long firstRow,
            int firstKeyGroup,
            int lastKeyGroup) {}

    private static final int HEADER_BYTES = 4;
    private static final int ENTRY_BYTES = 40;

    /**
     * Reads the footer.
     *
     * @param tail the last bytes of the file
     * @param fileLength its whole length
     * @param name named in the message when the bytes are damaged
     * @throws NativeException of kind CORRUPT when this is no intact data file
     */
    public static NativeTableFooter parse(byte[] tail, long fileLength, String name) {
        return NativeFooter.parse(
                StreamFusionAbi::sf_table_footer,
                tail,
                fileLength,
                name,
                needed -> new NativeTableFooter(needed, List.of()),
                out -> new NativeTableFooter(0, read(out)));
    }

    private static List<RowGroup> read(MemorySegment out) {
        int count = out.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        List<RowGroup> groups = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long at = HEADER_BYTES + (long) i * ENTRY_BYTES;
            groups.add(
                    new RowGroup(
                            out.get(ValueLayout.JAVA_LONG_UNALIGNED, at),
                            out.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 8),
                            out.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 16),
                            out.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 24),
                            out.get(ValueLayout.JAVA_INT_UNALIGNED, at + 32),
                            out.get(ValueLayout.JAVA_INT_UNALIGNED, at + 36)));
        }
        return List.copyOf(groups);
    }
}
