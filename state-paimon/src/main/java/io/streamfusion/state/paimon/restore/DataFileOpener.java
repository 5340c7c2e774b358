package io.streamfusion.state.paimon.restore;

import io.streamfusion.ffi.NativeTableFooter;
import io.streamfusion.ffi.NativeTableFooter.RowGroup;
import io.streamfusion.state.memory.restore.RestoreSource;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import io.streamfusion.state.paimon.table.TableFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Reads footers and deletion vectors and checks them against the manifest. One thread. */
final class DataFileOpener {
    private static final int FIRST_TAIL_BYTES = 64 * 1024;

    /** Around a deletion vector: its length before, its checksum behind. */
    private static final int VECTOR_FRAME_BYTES = 2 * Integer.BYTES;

    private final Map<Integer, StreamStateHandle> indexes;
    private final CloseableRegistry cancellation;
    private final Map<Integer, byte[]> indexBytes = new HashMap<>();

    /**
     * @param indexes the files with the deletion vectors, by bucket
     */
    DataFileOpener(Map<Integer, StreamStateHandle> indexes, CloseableRegistry cancellation) {
        this.indexes = indexes;
        this.cancellation = cancellation;
    }

    /** Opens the files; their epochs are 1, 2 and so on. */
    List<OpenDataFile> open(List<StoredDataFile> files) throws IOException {
        List<OpenDataFile> open = new ArrayList<>();
        for (StoredDataFile file : files) {
            open.add(open(file, open.size() + 1));
        }
        return open;
    }

    private OpenDataFile open(StoredDataFile file, int epoch) throws IOException {
        byte[] vector = vector(file);
        long bytes = file.table().bytes();
        String name = RestoreSource.describe(file.handle());
        try (FileReader reader = new FileReader(file.handle(), cancellation)) {
            int length = (int) Math.min(FIRST_TAIL_BYTES, bytes);
            while (true) {
                byte[] tail = new byte[length];
                reader.read(bytes - length, tail, length);
                NativeTableFooter footer = NativeTableFooter.parse(tail, bytes, name);
                if (footer.neededTail() == 0) {
                    check(file, footer.rowGroups(), name);
                    return new OpenDataFile(file, epoch, tail, footer.rowGroups(), vector);
                }
                if (footer.neededTail() <= length || footer.neededTail() > bytes) {
                    throw new CorruptCheckpointException(
                            name,
                            bytes - length,
                            "its footer claims " + footer.neededTail() + " bytes");
                }
                length = footer.neededTail();
            }
        }
    }

    private static void check(StoredDataFile file, List<RowGroup> groups, String name)
            throws CorruptCheckpointException {
        TableFile expected = file.table();
        long rows = groups.stream().mapToLong(RowGroup::rows).sum();
        boolean same =
                rows == expected.rows()
                        && !groups.isEmpty()
                        && groups.get(0).firstKeyGroup() == expected.firstKeyGroup()
                        && groups.get(groups.size() - 1).lastKeyGroup() == expected.lastKeyGroup();
        if (!same) {
            throw new CorruptCheckpointException(
                    name,
                    0,
                    "it has "
                            + rows
                            + " rows in "
                            + groups
                            + ", the manifest of the checkpoint expects "
                            + expected);
        }
    }

    private byte[] vector(StoredDataFile file) throws IOException {
        if (file.table().dead().isEmpty()) {
            return new byte[0];
        }
        TableFile.DeadRows dead = file.table().dead().get();
        int bucket = file.table().bucket();
        StreamStateHandle index = indexes.get(bucket);
        byte[] bytes = index == null ? new byte[0] : indexOf(bucket, index);
        long end = (long) dead.offset() + dead.length() + VECTOR_FRAME_BYTES;
        if (dead.length() < 0 || end > bytes.length) {
            throw new CorruptCheckpointException(
                    index == null ? "index of bucket " + bucket : RestoreSource.describe(index),
                    Math.min(dead.offset(), bytes.length),
                    "the deletion vector of " + file.table().name() + " is not in it");
        }
        return Arrays.copyOfRange(bytes, dead.offset(), (int) end);
    }

    private byte[] indexOf(int bucket, StreamStateHandle index) throws IOException {
        byte[] known = indexBytes.get(bucket);
        if (known == null) {
            known = new byte[Math.toIntExact(index.getStateSize())];
            try (FileReader reader = new FileReader(index, cancellation)) {
                reader.read(0, known, known.length);
            }
            indexBytes.put(bucket, known);
        }
        return known;
    }
}
