package io.streamfusion.state.paimon.restore;

import io.streamfusion.ffi.NativeLoader;
import io.streamfusion.ffi.NativeTableFooter.RowGroup;
import io.streamfusion.state.memory.restore.RestoreSource;
import java.util.List;

/** A data file of which all but its rows was read. Immutable; several threads load from it. */
final class OpenDataFile {
    private final StoredDataFile stored;
    private final int epoch;
    private final byte[] tail;
    private final List<RowGroup> rowGroups;
    private final byte[] vector;

    /**
     * @param stored the file
     * @param epoch write epoch that its rows get
     * @param tail its last bytes, with the footer
     * @param rowGroups where its rows lie
     * @param vector its deletion vector with the length before and the checksum behind; empty: no
     *     row is dead
     */
    OpenDataFile(
            StoredDataFile stored,
            int epoch,
            byte[] tail,
            List<RowGroup> rowGroups,
            byte[] vector) {
        this.stored = stored;
        this.epoch = epoch;
        this.tail = tail;
        this.rowGroups = List.copyOf(rowGroups);
        this.vector = vector;
    }

    StoredDataFile stored() {
        return stored;
    }

    List<RowGroup> rowGroups() {
        return rowGroups;
    }

    /** The deletion vector; not to be changed. */
    byte[] vector() {
        return vector;
    }

    /** Makes it the open file of a loader. */
    void openIn(NativeLoader loader) {
        loader.table(
                epoch,
                tail,
                stored.table().bytes(),
                vector,
                RestoreSource.describe(stored.handle()));
    }
}
