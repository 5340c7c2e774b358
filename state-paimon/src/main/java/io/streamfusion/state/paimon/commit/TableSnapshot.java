package io.streamfusion.state.paimon.commit;

import io.streamfusion.ffi.NativeSnapshot;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.ffi.NativeTableDescription;
import io.streamfusion.ffi.NativeTableDescription.DataFile;
import io.streamfusion.ffi.NativeTableMode;
import io.streamfusion.state.memory.snapshot.FormSnapshot;
import io.streamfusion.state.memory.snapshot.SnapshotTarget;
import io.streamfusion.state.memory.snapshot.StateFile;
import io.streamfusion.state.paimon.table.TableColumns;
import io.streamfusion.state.paimon.table.TableContents;
import io.streamfusion.state.paimon.table.TableFile;
import io.streamfusion.state.paimon.table.TableIndex;
import io.streamfusion.state.paimon.table.TableSchemas;
import io.streamfusion.state.paimon.table.TableSnapshotWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.paimon.fs.Path;

/**
 * One checkpoint as a snapshot of the table: new data files, deletion vectors, and the metadata
 * that makes one complete snapshot of them and of the files of the checkpoint it builds on.
 */
final class TableSnapshot implements FormSnapshot {
    private final NativeStore store;
    private final NativeTableMode mode;
    private final TableSettings settings;
    private final CheckpointStreamFactory storage;
    private final String table;
    private final FormerTables formerTables;
    private final TableColumns columns;
    private final Map<String, String> properties;

    /**
     * @param table name of the table in the storage
     * @param formerTables tables beside it whose directories may have become empty
     * @param properties of the snapshot, without the checkpoint
     */
    TableSnapshot(
            NativeStore store,
            NativeTableMode mode,
            TableSettings settings,
            CheckpointStreamFactory storage,
            String table,
            FormerTables formerTables,
            TableColumns columns,
            Map<String, String> properties) {
        this.store = store;
        this.mode = mode;
        this.settings = settings;
        this.storage = storage;
        this.table = table;
        this.formerTables = formerTables;
        this.columns = columns;
        this.properties = properties;
    }

    @Override
    public NativeSnapshot freeze(long checkpointId, long ttlNow) {
        return store.beginTable(checkpointId, mode, settings.compression(), ttlNow);
    }

    @Override
    public Result write(NativeSnapshot frozen, SnapshotTarget target) throws IOException {
        TableLocation location = TableLocation.of(storage, target.scope(), table);
        RecordingFileIO fileIO =
                new RecordingFileIO(
                        location.paimon(), location.exclusive(), target.files().cancellation());
        target.files().discardToo(fileIO::discard);
        TableFiles files = new TableFiles(location, fileIO, table, target);
        files.writeData(frozen);
        NativeTableDescription description = frozen.describeTable();
        List<TableIndex> indexes = files.writeIndexes(frozen, settings.buckets());

        List<StateFile> stateFiles = new ArrayList<>();
        List<TableFile> tableFiles = new ArrayList<>();
        List<TableContents.File> contents = new ArrayList<>();
        for (DataFile file : description.files()) {
            StateFile stateFile = files.stateFile(file);
            TableFile tableFile = tableFile(file, stateFile, location);
            stateFiles.add(stateFile);
            tableFiles.add(tableFile);
            contents.add(new TableContents.File(file.number(), tableFile));
        }
        long id = target.checkpointId();
        Map<String, String> withCheckpoint = new LinkedHashMap<>(properties);
        withCheckpoint.put(TableOwner.checkpointProperty(), Long.toString(id));
        new TableSnapshotWriter(
                        fileIO,
                        location.paimon(),
                        TableSchemas.create(
                                id, columns, settings.buckets(), settings.compression()))
                .write(id, table, tableFiles, indexes, withCheckpoint);

        if (!location.exclusive()) {
            formerTables.removeEmpty(location.directory(), target.base().values());
        }
        Map<Path, Long> written = fileIO.written();
        target.files().count(written.values().stream().mapToLong(Long::longValue).sum());
        written.keySet().removeIf(files::isData);
        return new Result(
                stateFiles,
                handles(written, location),
                folders(fileIO.folders(), location),
                new TableContents(settings.buckets(), contents, indexes, columns.types()).encode());
    }

    private static TableFile tableFile(DataFile file, StateFile stored, TableLocation location) {
        org.apache.flink.core.fs.Path path = ((FileStateHandle) stored.handle()).getFilePath();
        boolean here = path.getParent().equals(location.bucket(file.bucket()));
        return new TableFile(
                stored.name(),
                file.bucket(),
                file.bytes(),
                file.rows(),
                file.firstSequence(),
                file.firstKeyGroup(),
                file.lastKeyGroup(),
                here ? Optional.empty() : Optional.of(path.toString()),
                file.vectorOffset() < 0
                        ? Optional.empty()
                        : Optional.of(
                                new TableFile.DeadRows(
                                        file.vectorOffset(),
                                        file.vectorLength(),
                                        file.deadRows())));
    }

    private static List<HandleAndLocalPath> handles(
            Map<Path, Long> written, TableLocation location) {
        List<HandleAndLocalPath> handles = new ArrayList<>();
        for (Map.Entry<Path, Long> file : written.entrySet()) {
            org.apache.flink.core.fs.Path path =
                    new org.apache.flink.core.fs.Path(file.getKey().toUri());
            handles.add(
                    HandleAndLocalPath.of(location.handle(path, file.getValue()), path.getName()));
        }
        return handles;
    }

    /**
     * Handles of folders, which look like files without bytes: discarding one deletes the folder if
     * it is empty.
     */
    private static List<HandleAndLocalPath> folders(List<Path> folders, TableLocation location) {
        List<HandleAndLocalPath> handles = new ArrayList<>();
        for (Path folder : folders) {
            org.apache.flink.core.fs.Path path = new org.apache.flink.core.fs.Path(folder.toUri());
            handles.add(
                    HandleAndLocalPath.of(
                            location.handle(path, 0), path.getName() + Path.SEPARATOR));
        }
        return handles;
    }
}
