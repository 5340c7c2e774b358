package io.streamfusion.state.paimon.table;

import java.util.Optional;

/**
 * A data file as a snapshot of a table lists it.
 *
 * @param name its name, without a folder
 * @param bucket its bucket
 * @param bytes its length
 * @param rows its rows, dead ones too
 * @param firstSequence sequence number of its first row; the others follow one by one
 * @param firstKeyGroup key group of its first row
 * @param lastKeyGroup key group of its last row
 * @param externalPath where it lies, when that is not the table's folder of the bucket
 * @param dead which of its rows are dead; empty: none
 */
public record TableFile(
        String name,
        int bucket,
        long bytes,
        long rows,
        long firstSequence,
        int firstKeyGroup,
        int lastKeyGroup,
        Optional<String> externalPath,
        Optional<DeadRows> dead) {

    /**
     * A deletion vector.
     *
     * @param offset where it begins in the index file of the bucket, at its length
     * @param length its bytes, without the length before and the checksum behind
     * @param rows number of dead rows
     */
    public record DeadRows(int offset, int length, long rows) {}
}
