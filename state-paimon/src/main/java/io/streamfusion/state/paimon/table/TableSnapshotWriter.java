package io.streamfusion.state.paimon.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.FileStore;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.deletionvectors.DeletionVectorsIndexFile;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.index.DeletionVectorMeta;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.manifest.ManifestList;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.utils.Pair;

/**
 * Writes the metadata of one complete snapshot of a table. It refers to nothing of earlier
 * snapshots, not even to their schema, so that each can be deleted on its own. The snapshot file
 * comes last and makes the rest visible. One thread.
 */
public final class TableSnapshotWriter {
    private final FileIO fileIO;
    private final TableSchema schema;
    private final Path schemaFile;
    private final FileStore<?> store;

    /**
     * Prepares a snapshot; touches no file.
     *
     * @param schema of this snapshot alone
     */
    public TableSnapshotWriter(FileIO fileIO, Path table, TableSchema schema) {
        this.fileIO = fileIO;
        this.schema = schema;
        this.schemaFile = new SchemaManager(fileIO, table).toSchemaPath(schema.id());
        this.store = FileStoreTableFactory.create(fileIO, table, schema).store();
    }

    /**
     * Writes the snapshot.
     *
     * @param id its number
     * @param writer who writes it; the committing user of Paimon
     * @param files its data files, whose bytes are there already
     * @param indexes the files with their deletion vectors, by bucket
     * @param properties for people and tools
     */
    public void write(
            long id,
            String writer,
            List<TableFile> files,
            List<TableIndex> indexes,
            Map<String, String> properties)
            throws IOException {
        fileIO.writeFile(schemaFile, schema.toString(), false);
        ManifestList lists = store.manifestListFactory().create();
        Pair<String, Long> all =
                lists.write(
                        files.isEmpty()
                                ? List.of()
                                : store.manifestFileFactory().create().write(entries(files)));
        Pair<String, Long> none = lists.write(List.of());
        String index =
                indexes.isEmpty()
                        ? null
                        : store.indexManifestFileFactory()
                                .create()
                                .writeIndexFiles(
                                        null, indexEntries(files, indexes), store.bucketMode());
        publish(
                new Snapshot(
                        id,
                        schema.id(),
                        all.getLeft(),
                        all.getRight(),
                        none.getLeft(),
                        none.getRight(),
                        null,
                        null,
                        index,
                        writer,
                        id,
                        Snapshot.CommitKind.COMPACT,
                        System.currentTimeMillis(),
                        files.stream().mapToLong(TableFile::rows).sum(),
                        0L,
                        null,
                        null,
                        null,
                        properties,
                        null,
                        null));
    }

    private List<ManifestEntry> entries(List<TableFile> files) {
        List<ManifestEntry> entries = new ArrayList<>();
        for (TableFile file : files) {
            entries.add(
                    ManifestEntry.create(
                            FileKind.ADD,
                            BinaryRow.EMPTY_ROW,
                            file.bucket(),
                            schema.numBuckets(),
                            DataFiles.describe(file, schema.id())));
        }
        return entries;
    }

    private static List<IndexManifestEntry> indexEntries(
            List<TableFile> files, List<TableIndex> indexes) {
        List<IndexManifestEntry> entries = new ArrayList<>();
        for (TableIndex index : indexes) {
            LinkedHashMap<String, DeletionVectorMeta> vectors = new LinkedHashMap<>();
            for (TableFile file : files) {
                if (file.bucket() == index.bucket() && file.dead().isPresent()) {
                    TableFile.DeadRows dead = file.dead().get();
                    vectors.put(
                            file.name(),
                            new DeletionVectorMeta(
                                    file.name(), dead.offset(), dead.length(), dead.rows()));
                }
            }
            entries.add(
                    new IndexManifestEntry(
                            FileKind.ADD,
                            BinaryRow.EMPTY_ROW,
                            index.bucket(),
                            new IndexFileMeta(
                                    DeletionVectorsIndexFile.DELETION_VECTORS_INDEX,
                                    index.name(),
                                    index.bytes(),
                                    vectors.size(),
                                    vectors,
                                    null)));
        }
        return entries;
    }

    private void publish(Snapshot snapshot) throws IOException {
        Path file = store.snapshotManager().snapshotPath(snapshot.id());
        if (fileIO.isObjectStore()) {
            // A file appears there when it is complete; to rename it would copy it.
            fileIO.writeFile(file, snapshot.toJson(), false);
        } else if (!fileIO.tryToWriteAtomic(file, snapshot.toJson())) {
            throw new IOException("Cannot write the snapshot file " + file + ".");
        }
    }
}
