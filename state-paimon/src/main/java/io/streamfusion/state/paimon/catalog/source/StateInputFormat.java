package io.streamfusion.state.paimon.catalog.source;

import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.state.paimon.catalog.decode.EntryDecoder;
import io.streamfusion.state.paimon.catalog.decode.StateColumn;
import io.streamfusion.state.paimon.catalog.decode.StateShapes;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.paimon.table.source.DataSplit;

/** Reads a state, all subtasks' parts united; a split is some files of one part. */
public final class StateInputFormat extends PlannedFormat<StateInputSplit> {
    private static final long serialVersionUID = 1L;

    private final String title;
    private final NativeStateKind kind;
    private final StateColumn[] columns;

    private transient Queue<RowData> ready;
    @Nullable private transient EntryReader reader;
    @Nullable private transient StateInputSplit current;

    private StateInputFormat(
            String title,
            NativeStateKind kind,
            List<StateColumn> columns,
            List<StateInputSplit> splits) {
        super(splits, StateInputSplit[]::new);
        this.title = title;
        this.kind = kind;
        this.columns = columns.toArray(StateColumn[]::new);
    }

    /**
     * Finds the files to read.
     *
     * @param title which state of which checkpoint, for messages
     * @param columns of the rows
     * @throws IOException when a table's metadata cannot be read
     */
    public static StateInputFormat plan(
            String title, NativeStateKind kind, List<StateColumn> columns, List<TablePart> parts)
            throws IOException {
        List<StateInputSplit> splits = new ArrayList<>();
        for (TablePart part : parts) {
            try {
                for (List<DataSplit> bucket : PartTable.open(part).files()) {
                    // The chunks of a list may lie in all files of its bucket.
                    List<List<DataSplit>> apart =
                            kind == NativeStateKind.LIST
                                    ? List.of(bucket)
                                    : bucket.stream().map(List::of).toList();
                    for (List<DataSplit> files : apart) {
                        splits.add(new StateInputSplit(splits.size(), part, files));
                    }
                }
            } catch (IOException | RuntimeException | LinkageError e) {
                throw unreadable(title, part, "", e);
            }
        }
        return new StateInputFormat(title, kind, columns, splits);
    }

    @Override
    public void open(StateInputSplit split) throws IOException {
        ready = new ArrayDeque<>();
        current = split;
        TablePart part = split.part();
        EntryDecoder decoder =
                new EntryDecoder(
                        StateShapes.of(
                                        part.states(),
                                        Thread.currentThread().getContextClassLoader())
                                .get(part.position()),
                        List.of(columns));
        try {
            for (DataSplit files : split.files()) {
                FileCheck.check(files);
            }
            PartTable table = PartTable.open(part);
            reader =
                    kind == NativeStateKind.LIST
                            ? new ListEntryReader(part, decoder, table, split.files())
                            : new SingleEntryReader(kind, decoder, table, split.files());
        } catch (IOException | RuntimeException | LinkageError e) {
            throw unreadable(title, part, files(), e);
        }
    }

    @Override
    public boolean reachedEnd() throws IOException {
        try {
            while (ready.isEmpty()) {
                if (!reader.read(ready::add)) {
                    return true;
                }
            }
            return false;
        } catch (IOException | RuntimeException | LinkageError e) {
            throw unreadable(title, current.part(), files(), e);
        }
    }

    @Override
    @Nullable
    public RowData nextRecord(RowData reuse) throws IOException {
        return reachedEnd() ? null : ready.remove();
    }

    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }

    private String files() {
        List<String> names = new ArrayList<>();
        for (DataSplit split : current.files()) {
            split.dataFiles()
                    .forEach(file -> names.add(file.externalPath().orElse(file.fileName())));
        }
        return " (files " + names + ")";
    }

    private static IOException unreadable(
            String title, TablePart part, String files, Throwable cause) {
        String reason =
                cause instanceof LinkageError
                        ? "a class is missing; Paimon reads Parquet with hadoop-client-api and"
                                + " hadoop-client-runtime: "
                        : "";
        return new IOException(
                "Cannot read "
                        + title
                        + " from the Paimon table "
                        + part.directory()
                        + ", snapshot "
                        + part.snapshot()
                        + files
                        + ": "
                        + reason
                        + cause,
                cause);
    }
}
