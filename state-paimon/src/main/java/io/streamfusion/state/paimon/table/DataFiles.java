package io.streamfusion.state.paimon.table;

import java.util.List;
import java.util.function.Consumer;
import org.apache.paimon.data.BinaryArray;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryRowWriter;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.stats.SimpleStats;

/** Describes data files to Paimon. */
final class DataFiles {
    /** Any level but 0, which is not read where there are deletion vectors. */
    private static final int LEVEL = 1;

    private static final int KEY_COLUMNS = 5;
    private static final int STATE_COLUMN = 1;
    private static final int FIRST_BYTES_COLUMN = 2;
    private static final Long[] NO_NULLS = {0L, 0L, 0L, 0L, 0L};

    private DataFiles() {}

    /**
     * The description of a file.
     *
     * @param schemaId the schema of the snapshot; columns that the file lacks are null
     */
    static DataFileMeta describe(TableFile file, long schemaId) {
        return DataFileMeta.create(
                file.name(),
                file.bytes(),
                file.rows(),
                key(file.firstKeyGroup(), 0),
                key(file.lastKeyGroup(), Integer.MAX_VALUE),
                keyStats(file),
                SimpleStats.EMPTY_STATS,
                file.firstSequence(),
                file.firstSequence() + file.rows() - 1,
                schemaId,
                LEVEL,
                List.of(),
                0L, // no row of kind -D
                null,
                FileSource.APPEND,
                List.of(), // no statistics of values
                file.externalPath().orElse(null),
                null,
                null);
    }

    /** A bound of the primary keys of a file. */
    private static BinaryRow key(int keyGroup, int state) {
        return row(
                writer -> {
                    writer.writeInt(STATE_COLUMN, state);
                    for (int i = FIRST_BYTES_COLUMN; i < KEY_COLUMNS; i++) {
                        writer.writeBinary(i, new byte[0], 0, 0);
                    }
                },
                keyGroup);
    }

    /** Lets readers skip files by key group; of the other columns nothing is known. */
    private static SimpleStats keyStats(TableFile file) {
        return new SimpleStats(
                bound(file.firstKeyGroup()),
                bound(file.lastKeyGroup()),
                BinaryArray.fromLongArray(NO_NULLS));
    }

    private static BinaryRow bound(int keyGroup) {
        return row(
                writer -> {
                    for (int i = STATE_COLUMN; i < KEY_COLUMNS; i++) {
                        writer.setNullAt(i);
                    }
                },
                keyGroup);
    }

    private static BinaryRow row(Consumer<BinaryRowWriter> rest, int keyGroup) {
        BinaryRow row = new BinaryRow(KEY_COLUMNS);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeInt(0, keyGroup);
        rest.accept(writer);
        writer.complete();
        return row;
    }
}
