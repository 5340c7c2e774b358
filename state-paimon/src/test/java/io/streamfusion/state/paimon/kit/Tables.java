package io.streamfusion.state.paimon.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.flink.FlinkFileIO;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;

/** Reads tables as anybody would: through Paimon's own reader. */
public final class Tables {
    private Tables() {}

    /** The tables below a directory of checkpoint storage. */
    public static List<Path> find(Path storage) throws IOException {
        try (Stream<Path> all = Files.walk(storage)) {
            return all.filter(path -> path.endsWith("snapshot"))
                    .map(Path::getParent)
                    .sorted()
                    .toList();
        }
    }

    /** Opens a table. */
    public static FileStoreTable open(Path directory) {
        org.apache.paimon.fs.Path path = new org.apache.paimon.fs.Path(directory.toUri());
        return FileStoreTableFactory.create(new FlinkFileIO(path), path);
    }

    /** Opens a table as of a snapshot. */
    public static FileStoreTable open(Path directory, long snapshot) {
        return open(directory)
                .copy(Map.of(CoreOptions.SCAN_SNAPSHOT_ID.key(), Long.toString(snapshot)));
    }

    /** What {@code read} makes of each row. */
    public static <T> List<T> read(FileStoreTable table, Function<InternalRow, T> read)
            throws IOException {
        List<T> rows = new ArrayList<>();
        ReadBuilder builder = table.newReadBuilder();
        List<Split> splits = builder.newScan().plan().splits();
        try (RecordReader<InternalRow> reader = builder.newRead().createReader(splits)) {
            reader.forEachRemaining(row -> rows.add(read.apply(row)));
        }
        return rows;
    }

    /** Whether every split can be read without merging. */
    public static boolean isRaw(FileStoreTable table) {
        return table.newReadBuilder().newScan().plan().splits().stream()
                .allMatch(split -> ((DataSplit) split).rawConvertible());
    }

    /** The rows by their primary key, values in hexadecimal digits; fails on equal keys. */
    public static Map<String, String> byKey(FileStoreTable table) throws IOException {
        Map<String, String> rows = new TreeMap<>();
        for (Map.Entry<String, String> row :
                read(table, row -> Map.entry(keyOf(row), valueOf(row)))) {
            if (rows.put(row.getKey(), row.getValue()) != null) {
                throw new IllegalStateException("Two rows of the key " + row.getKey());
            }
        }
        return rows;
    }

    private static String keyOf(InternalRow row) {
        return row.getInt(0)
                + " "
                + row.getInt(1)
                + " "
                + hex(row, 2)
                + " "
                + hex(row, 3)
                + " "
                + hex(row, 4);
    }

    private static String valueOf(InternalRow row) {
        return hex(row, 5) + " " + (row.isNullAt(6) ? "" : row.getLong(6));
    }

    private static String hex(InternalRow row, int column) {
        return row.isNullAt(column) ? "null" : HexFormat.of().formatHex(row.getBinary(column));
    }
}
