package io.streamfusion.state.paimon.catalog.source;

import io.streamfusion.ffi.NativeTableFooter;
import io.streamfusion.ffi.NativeTableFooter.RowGroup;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.RawFile;

/**
 * Compares files with the checksums that they hold, as a restore does. Paimon's reader does not: it
 * would show damaged rows. The formats are described in {@code docs/formats/paimon-state.md}.
 */
final class FileCheck {
    private static final int FIRST_TAIL_BYTES = 64 * 1024;
    private static final int PIECE_BYTES = 64 * 1024;

    /** Length of the footer and a magic, behind the footer. */
    private static final int PARQUET_END_BYTES = 8;

    /** Behind the sums of the row groups. */
    private static final int GUARD_TRAILER_BYTES = 16;

    private FileCheck() {}

    /**
     * Reads all files of a split.
     *
     * @throws IOException when one is damaged, or not there
     */
    static void check(DataSplit split) throws IOException {
        for (RawFile file : split.convertToRawFiles().orElse(List.of())) {
            checkData(file.path(), file.fileSize());
        }
        for (DeletionFile vector : split.deletionFiles().orElse(List.of())) {
            if (vector != null) {
                checkVector(vector);
            }
        }
    }

    private static void checkData(String file, long bytes) throws IOException {
        try (FSDataInputStream in = open(file)) {
            int tailBytes = (int) Math.min(FIRST_TAIL_BYTES, bytes);
            byte[] tail = read(in, file, bytes - tailBytes, tailBytes);
            NativeTableFooter footer = NativeTableFooter.parse(tail, bytes, file);
            if (footer.neededTail() > 0) {
                tail = read(in, file, bytes - footer.neededTail(), footer.neededTail());
                footer = NativeTableFooter.parse(tail, bytes, file);
            }
            // Intact up to here, and the guard in it: the parser has checked them.
            ByteBuffer end = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN);
            int footerBytes = end.getInt(tail.length - PARQUET_END_BYTES);
            int sums =
                    tail.length
                            - PARQUET_END_BYTES
                            - footerBytes
                            - GUARD_TRAILER_BYTES
                            - footer.rowGroups().size() * Integer.BYTES;
            for (RowGroup group : footer.rowGroups()) {
                CRC32C sum = new CRC32C();
                update(sum, in, file, group.offset(), group.length());
                require(sum, end.getInt(sums), file, group.offset(), "a row group");
                sums += Integer.BYTES;
            }
        }
    }

    private static void checkVector(DeletionFile vector) throws IOException {
        String file = vector.path();
        try (FSDataInputStream in = open(file)) {
            CRC32 sum = new CRC32();
            long start = vector.offset() + Integer.BYTES;
            update(sum, in, file, start, vector.length());
            int expected =
                    ByteBuffer.wrap(read(in, file, start + vector.length(), Integer.BYTES))
                            .getInt();
            require(sum, expected, file, vector.offset(), "a deletion vector");
        }
    }

    private static void require(Checksum sum, int expected, String file, long offset, String what)
            throws CorruptCheckpointException {
        if ((int) sum.getValue() != expected) {
            throw new CorruptCheckpointException(
                    file,
                    offset,
                    String.format(
                            "the checksum of %s is %08x, the file says %08x",
                            what, (int) sum.getValue(), expected));
        }
    }

    private static FSDataInputStream open(String file) throws IOException {
        Path path = new Path(file);
        return path.getFileSystem().open(path);
    }

    private static void update(
            Checksum sum, FSDataInputStream in, String file, long offset, long bytes)
            throws IOException {
        for (long done = 0; done < bytes; done += PIECE_BYTES) {
            byte[] piece = read(in, file, offset + done, (int) Math.min(PIECE_BYTES, bytes - done));
            sum.update(piece, 0, piece.length);
        }
    }

    private static byte[] read(FSDataInputStream in, String file, long offset, int bytes)
            throws IOException {
        if (offset < 0) {
            throw new CorruptCheckpointException(file, 0, "the file is too short");
        }
        if (in.getPos() != offset) {
            in.seek(offset);
        }
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new CorruptCheckpointException(
                    file, offset + read.length, "the file ends here, but should not");
        }
        return read;
    }
}
