package io.streamfusion.state.paimon.commit;

import io.streamfusion.ffi.NativeSnapshot;
import io.streamfusion.ffi.NativeTableDescription.DataFile;
import io.streamfusion.state.memory.snapshot.SnapshotTarget;
import io.streamfusion.state.memory.snapshot.StateFile;
import io.streamfusion.state.paimon.table.TableIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;

/** Writes the files with rows and deletion vectors of one snapshot of a table. One thread. */
final class TableFiles {
    private static final int BUFFER_BYTES = 256 * 1024;
    private static final String INDEX_FOLDER = "index";

    private final TableLocation location;
    private final RecordingFileIO fileIO;
    private final String table;
    private final SnapshotTarget target;
    private final Map<Long, StateFile> written = new HashMap<>();
    private final Set<Path> dataPaths = new HashSet<>();

    /**
     * @param table name of the table; part of file names, since files outlive their table's folder
     */
    TableFiles(
            TableLocation location, RecordingFileIO fileIO, String table, SnapshotTarget target) {
        this.location = location;
        this.fileIO = fileIO;
        this.table = table;
        this.target = target;
    }

    /** Writes the new data files, each to the local copy too. */
    void writeData(NativeSnapshot frozen) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (Optional<NativeSnapshot.NewFile> next = frozen.nextTableFile();
                next.isPresent();
                next = frozen.nextTableFile()) {
            NativeSnapshot.NewFile file = next.get();
            String name = "data-" + table + "-" + file.number() + ".parquet";
            org.apache.flink.core.fs.Path path =
                    new org.apache.flink.core.fs.Path(location.bucket(file.bucket()), name);
            long bytes = 0;
            target.local().open();
            Path paimonPath = new Path(path.toUri());
            dataPaths.add(paimonPath);
            try (PositionOutputStream out = fileIO.newOutputStream(paimonPath, false)) {
                for (int n = frozen.next(buffer); n > 0; n = frozen.next(buffer)) {
                    out.write(buffer, 0, n);
                    target.local().write(buffer, n);
                    bytes += n;
                }
            }
            target.local().close(file.number(), name);
            written.put(
                    file.number(),
                    new StateFile(file.number(), name, bytes, location.handle(path, bytes)));
        }
    }

    boolean isData(Path path) {
        return dataPaths.contains(path);
    }

    /** Writes the deletion vectors of the buckets that have any; after the last data file. */
    List<TableIndex> writeIndexes(NativeSnapshot frozen, int buckets) throws IOException {
        List<TableIndex> indexes = new ArrayList<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            byte[] bytes = frozen.tableIndex(bucket);
            if (bytes.length > 0) {
                String name = "index-" + table + "-" + target.checkpointId() + "-" + bucket;
                org.apache.flink.core.fs.Path folder =
                        new org.apache.flink.core.fs.Path(location.directory(), INDEX_FOLDER);
                Path path = new Path(new org.apache.flink.core.fs.Path(folder, name).toUri());
                try (PositionOutputStream out = fileIO.newOutputStream(path, false)) {
                    out.write(bytes);
                }
                target.local().copy(name, bytes);
                indexes.add(new TableIndex(bucket, name, bytes.length));
            }
        }
        return indexes;
    }

    /** Where a data file of the snapshot lies: among the new ones, or among those of the base. */
    StateFile stateFile(DataFile file) throws IOException {
        StateFile stored = file.isNew() ? written.get(file.number()) : earlier(file.number());
        if (stored == null || stored.bytes() != file.bytes()) {
            throw new IOException(
                    "Data file "
                            + file.number()
                            + " of "
                            + file.bytes()
                            + " bytes is stored as "
                            + stored
                            + ".");
        }
        return stored;
    }

    private StateFile earlier(long number) {
        StateFile earlier = target.earlier(number);
        target.local().link(earlier);
        return earlier;
    }
}
