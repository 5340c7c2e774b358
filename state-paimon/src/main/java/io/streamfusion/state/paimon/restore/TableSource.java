package io.streamfusion.state.paimon.restore;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.restore.FormSource;
import io.streamfusion.state.memory.restore.RestoreSource;
import io.streamfusion.state.memory.restore.RestoreTarget;
import io.streamfusion.state.memory.snapshot.StateFile;
import io.streamfusion.state.paimon.commit.TableForm;
import io.streamfusion.state.paimon.table.TableContents;
import io.streamfusion.state.paimon.table.TableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;

/** The table of one handle. */
final class TableSource implements FormSource {
    private static final int ENTRY_BYTES = 3 * Long.BYTES + Long.BYTES + 4 * Integer.BYTES;

    private final RestoreSource source;
    private final TableContents contents;
    private final List<StoredDataFile> files;
    private final Map<Integer, StreamStateHandle> indexes;
    private final TableForm form;
    private List<OpenDataFile> open = List.of();

    TableSource(
            RestoreSource source,
            TableContents contents,
            List<StoredDataFile> files,
            Map<Integer, StreamStateHandle> indexes,
            TableForm form) {
        this.source = source;
        this.contents = contents;
        this.files = files;
        this.indexes = indexes;
        this.form = form;
    }

    @Override
    public Loading plan(RestoreTarget<?> target, int[] stateIds) throws IOException {
        open = new DataFileOpener(indexes, target.cancellation()).open(files);
        return TableLoading.plan(source.manifest(), open, target, stateIds)::run;
    }

    @Override
    public Optional<List<StateFile>> continueFrom(NativeStore store) {
        if (contents.buckets() != form.buckets()) {
            return Optional.empty();
        }
        List<StateFile> shared = new ArrayList<>();
        for (StoredDataFile file : files) {
            StreamStateHandle handle = source.shared().get(file.table().name());
            if (!canBeReferredTo(handle)) {
                return Optional.empty();
            }
            shared.add(
                    new StateFile(
                            file.number(), file.table().name(), file.table().bytes(), handle));
        }
        store.restoreTable(description());
        form.restoredColumns(contents.columns());
        return Optional.of(shared);
    }

    /** A file that is found relative to its checkpoint would be lost to another checkpoint. */
    private static boolean canBeReferredTo(StreamStateHandle handle) {
        return handle instanceof FileStateHandle && !(handle instanceof RelativeFileStateHandle);
    }

    /** As {@link NativeStore#restoreTable} wants it. */
    private byte[] description() {
        int size = Integer.BYTES;
        for (OpenDataFile file : open) {
            size += ENTRY_BYTES + file.vector().length;
        }
        byte[] description = new byte[size];
        ByteBuffer out = ByteBuffer.wrap(description).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(open.size());
        for (OpenDataFile file : open) {
            TableFile table = file.stored().table();
            out.putLong(file.stored().number());
            out.putInt(table.bucket());
            out.putLong(table.bytes());
            out.putLong(table.rows());
            out.putLong(table.firstSequence());
            out.putInt(table.firstKeyGroup());
            out.putInt(table.lastKeyGroup());
            out.putInt(file.vector().length);
            out.put(file.vector());
        }
        return description;
    }
}
