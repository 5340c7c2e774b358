package io.streamfusion.state.paimon.table;

import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of a checkpoint as a manifest lists them, so that a restore needs no file of Paimon's.
 * The format is described in {@code docs/formats/paimon-state.md}; integers are big-endian.
 *
 * @param buckets number of buckets of the table
 * @param files data files, by number
 * @param indexes the files with their deletion vectors
 * @param columns typed columns that the data files may have
 */
public record TableContents(
        int buckets, List<File> files, List<TableIndex> indexes, Map<String, ColumnType> columns) {

    /**
     * A data file and its number in the native store.
     *
     * @param table without {@link TableFile#externalPath}: handles know where files lie
     */
    public record File(long number, TableFile table) {}

    public TableContents {
        files = List.copyOf(files);
        indexes = List.copyOf(indexes);
        columns = Collections.unmodifiableMap(new LinkedHashMap<>(columns));
    }

    /** Encodes the list. */
    public CheckpointManifest.Contents encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(buckets);
            out.writeInt(files.size());
            for (File file : files) {
                write(file, out);
            }
            out.writeInt(indexes.size());
            for (TableIndex index : indexes) {
                out.writeInt(index.bucket());
                out.writeLong(index.bytes());
                write(index.name(), out);
            }
            out.writeInt(columns.size());
            for (Map.Entry<String, ColumnType> column : columns.entrySet()) {
                out.writeInt(column.getValue().code());
                write(column.getKey(), out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new CheckpointManifest.Contents(
                CheckpointManifest.Form.TABLE, ByteBuffer.wrap(bytes.toByteArray()));
    }

    private static void write(File file, DataOutputStream out) throws IOException {
        TableFile table = file.table();
        out.writeLong(file.number());
        out.writeInt(table.bucket());
        out.writeLong(table.bytes());
        out.writeLong(table.rows());
        out.writeLong(table.firstSequence());
        out.writeInt(table.firstKeyGroup());
        out.writeInt(table.lastKeyGroup());
        out.writeInt(table.dead().map(TableFile.DeadRows::offset).orElse(-1));
        out.writeInt(table.dead().map(TableFile.DeadRows::length).orElse(0));
        out.writeLong(table.dead().map(TableFile.DeadRows::rows).orElse(0L));
        write(table.name(), out);
    }

    private static void write(String text, DataOutputStream out) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    /**
     * Decodes what {@link #encode} has encoded.
     *
     * @param manifest the file, named when it is damaged
     */
    public static TableContents read(CheckpointManifest.Contents contents, String manifest)
            throws CorruptCheckpointException {
        ByteBuffer in = contents.bytes();
        try {
            int buckets = in.getInt();
            List<File> files = new ArrayList<>();
            for (int left = in.getInt(); left > 0; left--) {
                files.add(file(in));
            }
            List<TableIndex> indexes = new ArrayList<>();
            for (int left = in.getInt(); left > 0; left--) {
                int bucket = in.getInt();
                long bytes = in.getLong();
                indexes.add(new TableIndex(bucket, text(in), bytes));
            }
            Map<String, ColumnType> columns = new LinkedHashMap<>();
            for (int left = in.getInt(); left > 0; left--) {
                ColumnType type =
                        ColumnType.ofCode(in.getInt()).orElseThrow(BufferUnderflowException::new);
                columns.put(text(in), type);
            }
            return new TableContents(buckets, files, indexes, columns);
        } catch (BufferUnderflowException e) {
            throw CorruptCheckpointException.shortBlock(manifest);
        }
    }

    private static File file(ByteBuffer in) {
        long number = in.getLong();
        int bucket = in.getInt();
        long bytes = in.getLong();
        long rows = in.getLong();
        long firstSequence = in.getLong();
        int firstKeyGroup = in.getInt();
        int lastKeyGroup = in.getInt();
        int offset = in.getInt();
        TableFile.DeadRows dead = new TableFile.DeadRows(offset, in.getInt(), in.getLong());
        return new File(
                number,
                new TableFile(
                        text(in),
                        bucket,
                        bytes,
                        rows,
                        firstSequence,
                        firstKeyGroup,
                        lastKeyGroup,
                        Optional.empty(),
                        offset < 0 ? Optional.empty() : Optional.of(dead)));
    }

    private static String text(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] utf8 = new byte[length];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
