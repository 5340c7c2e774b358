package io.streamfusion.state.paimon.catalog.source;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.flink.FlinkFileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;

/** The table of a part as of its snapshot, read by Paimon. */
final class PartTable {
    // Positions in the rows that it reads.
    static final int STATE = 0;
    static final int KEY = 1;
    static final int NAMESPACE = 2;
    static final int USER_KEY = 3;
    static final int VALUE = 4;
    static final int TIMESTAMP = 5;
    private static final List<String> COLUMNS = List.of("st", "k", "ns", "uk", "v", "ts");
    private static final String KEY_GROUP = "kg";

    private final TablePart part;
    private final FileStoreTable table;

    private PartTable(TablePart part, FileStoreTable table) {
        this.part = part;
        this.table = table;
    }

    /**
     * Opens the table; reads its schema and its snapshot.
     *
     * @throws IOException when there is no such snapshot
     */
    static PartTable open(TablePart part) throws IOException {
        Path path = new Path(part.directory());
        FlinkFileIO fileIO = new FlinkFileIO(path);
        FileStoreTable table =
                FileStoreTableFactory.create(
                        fileIO, path, new SchemaManager(fileIO, path).schema(part.schema()));
        Path snapshot = table.snapshotManager().snapshotPath(part.snapshot());
        if (!fileIO.exists(snapshot)) {
            throw new FileNotFoundException(
                    "there is no file " + snapshot + "; has the checkpoint been deleted?");
        }
        return new PartTable(
                part,
                table.copy(
                        Map.of(
                                CoreOptions.SCAN_SNAPSHOT_ID.key(),
                                Long.toString(part.snapshot()))));
    }

    /** The files with their deletion vectors, together those of a bucket. */
    Collection<List<DataSplit>> files() {
        Map<Integer, List<DataSplit>> byBucket = new TreeMap<>();
        for (Split split : reading().newScan().plan().splits()) {
            DataSplit files = (DataSplit) split;
            byBucket.computeIfAbsent(files.bucket(), bucket -> new ArrayList<>()).add(files);
        }
        return byBucket.values();
    }

    /** Reads the rows of the part's state, as {@link #COLUMNS} order them. */
    RecordReader<InternalRow> read(List<DataSplit> files) throws IOException {
        return read(files, part.firstKeyGroup(), part.lastKeyGroup());
    }

    /** Reads the rows of some key groups. */
    RecordReader<InternalRow> read(List<DataSplit> files, int firstKeyGroup, int lastKeyGroup)
            throws IOException {
        PredicateBuilder is = new PredicateBuilder(table.rowType());
        Predicate wanted = is.equal(is.indexOf("st"), part.state());
        if (firstKeyGroup > part.firstKeyGroup() || lastKeyGroup < part.lastKeyGroup()) {
            wanted =
                    PredicateBuilder.and(
                            wanted, is.between(is.indexOf(KEY_GROUP), firstKeyGroup, lastKeyGroup));
        }
        return reading()
                .withFilter(wanted)
                .withProjection(COLUMNS.stream().mapToInt(is::indexOf).toArray())
                .newRead()
                .executeFilter()
                .createReader(List.<Split>copyOf(files));
    }

    private ReadBuilder reading() {
        return table.newReadBuilder();
    }
}
