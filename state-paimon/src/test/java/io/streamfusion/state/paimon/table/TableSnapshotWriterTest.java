package io.streamfusion.state.paimon.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeTableCompression;
import io.streamfusion.state.paimon.kit.Tables;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.deletionvectors.BucketedDvMaintainer;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.flink.FlinkFileIO;
import org.apache.paimon.index.DeletionVectorMeta;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of data files that Paimon's own writer wrote. */
class TableSnapshotWriterTest {
    private static final int BUCKETS = 2;
    private static final int KEY_GROUPS = 8;

    @TempDir Path directory;
    @TempDir Path scratch;
    private org.apache.paimon.fs.Path path;
    private FlinkFileIO fileIO;

    @BeforeEach
    void open() {
        path = new org.apache.paimon.fs.Path(directory.toUri());
        fileIO = new FlinkFileIO(path);
    }

    private static TableSchema schema(long id) {
        return TableSchemas.create(
                id, new TableColumns(List.of(), List.of()), BUCKETS, NativeTableCompression.ZSTD);
    }

    /** Writes rows {@code from} to {@code to}, exclusively, of value {@code value}. */
    private List<TableFile> dataFiles(org.apache.paimon.fs.Path table, int from, int to, long value)
            throws Exception {
        FileStoreTable writing = FileStoreTableFactory.create(fileIO, table, schema(0));
        new SchemaManager(fileIO, table).commit(schema(0));
        IOManager io = IOManager.create(scratch.toString());
        StreamTableWrite write = writing.newStreamWriteBuilder().newWrite();
        try {
            write.withIOManager(io);
            for (int i = from; i < to; i++) {
                write.write(row(i, value));
            }
            List<TableFile> files = new ArrayList<>();
            for (CommitMessage message : write.prepareCommit(true, 1)) {
                CommitMessageImpl written = (CommitMessageImpl) message;
                for (DataFileMeta file : written.newFilesIncrement().newFiles()) {
                    files.add(describe(file, written.bucket()));
                }
            }
            return files;
        } finally {
            write.close();
            io.close();
        }
    }

    private static TableFile describe(DataFileMeta file, int bucket) {
        return new TableFile(
                file.fileName(),
                bucket,
                file.fileSize(),
                file.rowCount(),
                file.minSequenceNumber(),
                0,
                KEY_GROUPS - 1,
                Optional.empty(),
                Optional.empty());
    }

    private static GenericRow row(int i, long value) {
        return GenericRow.of(
                i % KEY_GROUPS, 0, bytes(i), new byte[0], new byte[0], bytes(value), null, value);
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static long value(org.apache.paimon.data.InternalRow row) {
        return ByteBuffer.wrap(row.getBinary(5)).getLong();
    }

    private void write(long id, List<TableFile> files, List<TableIndex> indexes) throws Exception {
        new TableSnapshotWriter(fileIO, path, schema(id))
                .write(id, "test", files, indexes, Map.of("streamfusion.checkpoint-id", "" + id));
    }

    @Test
    void aSnapshotIsReadBack() throws Exception {
        write(7, dataFiles(path, 0, 100, 1), List.of());
        FileStoreTable table = Tables.open(directory);

        assertThat(Tables.byKey(table)).hasSize(100);
        assertThat(Tables.isRaw(table)).isTrue();
        assertThat(table.latestSnapshot().orElseThrow().id()).isEqualTo(7);
        assertThat(table.latestSnapshot().orElseThrow().properties())
                .containsEntry("streamfusion.checkpoint-id", "7");
        assertThat(table.primaryKeys()).containsExactly("kg", "st", "k", "ns", "uk");
    }

    @Test
    void aSnapshotWithoutFilesIsEmpty() throws Exception {
        write(1, List.of(), List.of());

        assertThat(Tables.byKey(Tables.open(directory))).isEmpty();
    }

    @Test
    void deadRowsAreNotRead() throws Exception {
        List<TableFile> old = dataFiles(path, 0, 100, 1);
        List<TableFile> updates = dataFiles(path, 0, 50, 2);
        List<TableFile> files = new ArrayList<>(updates);
        List<TableIndex> indexes = new ArrayList<>();
        for (TableFile file : old) {
            files.add(withDeadRows(file, 25, indexes));
        }
        write(3, files, indexes);

        FileStoreTable table = Tables.open(directory);
        List<Long> values = Tables.read(table, TableSnapshotWriterTest::value);
        assertThat(values).hasSize(100);
        assertThat(values.stream().filter(value -> value == 2)).hasSize(50);
        assertThat(Tables.byKey(table)).hasSize(100);
        assertThat(Tables.isRaw(table)).isTrue();
    }

    /**
     * The rows of a bucket are sorted by key group first, so the dead ones are found by reading.
     */
    private TableFile withDeadRows(TableFile file, int count, List<TableIndex> indexes)
            throws Exception {
        FileStoreTable table = FileStoreTableFactory.create(fileIO, path, schema(0));
        BucketedDvMaintainer vectors =
                BucketedDvMaintainer.factory(table.store().newIndexFileHandler())
                        .create(BinaryRow.EMPTY_ROW, file.bucket(), List.<IndexFileMeta>of());
        List<Integer> rowNumbers = rowsBelow50(file);
        assertThat(rowNumbers).hasSize(count);
        rowNumbers.forEach(row -> vectors.notifyNewDeletion(file.name(), row));
        IndexFileMeta index = vectors.writeDeletionVectorsIndex().orElseThrow();
        indexes.add(new TableIndex(file.bucket(), index.fileName(), index.fileSize()));
        DeletionVectorMeta vector = index.dvRanges().get(file.name());
        return new TableFile(
                file.name(),
                file.bucket(),
                file.bytes(),
                file.rows(),
                file.firstSequence(),
                file.firstKeyGroup(),
                file.lastKeyGroup(),
                file.externalPath(),
                Optional.of(
                        new TableFile.DeadRows(
                                vector.offset(), vector.length(), vector.cardinality())));
    }

    private List<Integer> rowsBelow50(TableFile file) throws Exception {
        write(1, List.of(file), List.of());
        List<Long> keys =
                Tables.read(
                        Tables.open(directory, 1),
                        row -> ByteBuffer.wrap(row.getBinary(2)).getLong());
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            if (keys.get(i) < 50) {
                numbers.add(i);
            }
        }
        java.nio.file.Files.delete(directory.resolve("snapshot/snapshot-1"));
        java.nio.file.Files.delete(directory.resolve("schema/schema-1"));
        return numbers;
    }

    @Test
    void filesOfAnotherTableAreReadWhereTheyLie() throws Exception {
        org.apache.paimon.fs.Path other =
                new org.apache.paimon.fs.Path(scratch.resolve("other").toUri());
        List<TableFile> files = new ArrayList<>();
        for (TableFile file : dataFiles(other, 0, 40, 1)) {
            files.add(
                    new TableFile(
                            file.name(),
                            file.bucket(),
                            file.bytes(),
                            file.rows(),
                            file.firstSequence(),
                            file.firstKeyGroup(),
                            file.lastKeyGroup(),
                            Optional.of(other + "/bucket-" + file.bucket() + "/" + file.name()),
                            Optional.empty()));
        }
        files.addAll(dataFiles(path, 40, 60, 2));
        write(2, files, List.of());

        assertThat(Tables.byKey(Tables.open(directory))).hasSize(60);
    }

    /** Files without a column that a later schema has: each snapshot has a schema of its own. */
    @Test
    void aColumnThatAFileLacksIsNull() throws Exception {
        List<TableFile> files = dataFiles(path, 0, 10, 1);
        TypedColumn later =
                new TypedColumn(
                        "v_later",
                        TableSchemas.FIRST_TYPED_FIELD,
                        ColumnType.BIGINT,
                        TypedColumn.Source.VALUE,
                        0,
                        KnownBytes.Coding.SCALAR,
                        0,
                        0,
                        0);
        TableSchema wider =
                TableSchemas.create(
                        9,
                        new TableColumns(List.of(), List.of(later)),
                        BUCKETS,
                        NativeTableCompression.ZSTD);
        new TableSnapshotWriter(fileIO, path, wider).write(9, "test", files, List.of(), Map.of());

        assertThat(Tables.read(Tables.open(directory), row -> row.isNullAt(8)))
                .hasSize(10)
                .containsOnly(true);
    }

    @Test
    void eachSnapshotStandsAlone() throws Exception {
        write(1, dataFiles(path, 0, 10, 1), List.of());
        List<TableFile> later = dataFiles(path, 0, 30, 2);
        write(2, later, List.of());

        assertThat(Tables.byKey(Tables.open(directory, 1))).hasSize(10);
        java.nio.file.Files.delete(directory.resolve("snapshot/snapshot-1"));
        java.nio.file.Files.delete(directory.resolve("schema/schema-1"));
        assertThat(Tables.byKey(Tables.open(directory))).hasSize(30);
    }

    @Test
    void filesAreSkippedByKeyGroup() throws Exception {
        List<TableFile> files = new ArrayList<>();
        for (TableFile file : dataFiles(path, 0, 100, 1)) {
            files.add(
                    new TableFile(
                            file.name(),
                            file.bucket(),
                            file.bytes(),
                            file.rows(),
                            file.firstSequence(),
                            file.bucket() == 0 ? 0 : 1,
                            file.bucket() == 0 ? 6 : 7,
                            Optional.empty(),
                            Optional.empty()));
        }
        write(1, files, List.of());
        FileStoreTable table = Tables.open(directory);
        PredicateBuilder predicates = new PredicateBuilder(table.rowType());

        assertThat(
                        table.newReadBuilder()
                                .withFilter(predicates.greaterThan(0, 6))
                                .newScan()
                                .plan()
                                .splits())
                .hasSize(1);
    }
}
