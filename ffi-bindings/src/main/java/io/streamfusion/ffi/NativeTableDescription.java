package io.streamfusion.ffi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What the native side says about a table that it has written.
 *
 * @param epoch write epoch that the snapshot ended
 * @param rowsWritten rows in the new files
 * @param rowsDeleted rows of earlier files that this snapshot found dead
 * @param fileBytes bytes of the new files
 * @param rawBytes their rows before encoding
 * @param files all data files of the checkpoint, by number
 */
public record NativeTableDescription(
        long epoch,
        long rowsWritten,
        long rowsDeleted,
        long fileBytes,
        long rawBytes,
        List<DataFile> files) {

    /**
     * A data file.
     *
     * @param number unique among the files of one store and of those it was restored from
     * @param bucket the table's bucket
     * @param isNew whether this snapshot has written it
     * @param bytes its length
     * @param rows its rows, dead ones too
     * @param firstSequence sequence number of its first row; the others follow one by one
     * @param firstKeyGroup absolute key group of its first row
     * @param lastKeyGroup absolute key group of its last row
     * @param vectorOffset where its deletion vector begins in the bucket's index file, -1 for none
     * @param vectorLength bytes of the vector without the four bytes before and behind it
     * @param deadRows number of its dead rows
     */
    public record DataFile(
            long number,
            int bucket,
            boolean isNew,
            long bytes,
            long rows,
            long firstSequence,
            int firstKeyGroup,
            int lastKeyGroup,
            int vectorOffset,
            int vectorLength,
            long deadRows) {}

    public NativeTableDescription {
        files = List.copyOf(files);
    }

    static NativeTableDescription parse(byte[] description) {
        ByteBuffer in = ByteBuffer.wrap(description).order(ByteOrder.LITTLE_ENDIAN);
        long epoch = in.getLong();
        long rowsWritten = in.getLong();
        long rowsDeleted = in.getLong();
        long fileBytes = in.getLong();
        long rawBytes = in.getLong();
        int count = in.getInt();
        List<DataFile> files = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            files.add(
                    new DataFile(
                            in.getLong(),
                            in.getInt(),
                            in.getInt() == 1,
                            in.getLong(),
                            in.getLong(),
                            in.getLong(),
                            in.getInt(),
                            in.getInt(),
                            in.getInt(),
                            in.getInt(),
                            in.getLong()));
        }
        return new NativeTableDescription(
                epoch, rowsWritten, rowsDeleted, fileBytes, rawBytes, files);
    }
}
