package io.streamfusion.state.paimon.commit;

import io.streamfusion.ffi.NativeCompression;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.ffi.NativeTableMode;
import io.streamfusion.state.memory.registry.RegisteredState;
import io.streamfusion.state.memory.snapshot.DurableForm;
import io.streamfusion.state.memory.snapshot.FormSnapshot;
import io.streamfusion.state.memory.snapshot.SegmentForm;
import io.streamfusion.state.memory.snapshot.SnapshotContext;
import io.streamfusion.state.memory.snapshot.SnapshotKind;
import io.streamfusion.state.memory.snapshot.StateFile;
import io.streamfusion.state.paimon.spill.SpillDirectory;
import io.streamfusion.state.paimon.table.ColumnType;
import io.streamfusion.state.paimon.table.TableColumns;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints as snapshots of one Paimon table, which belongs to this attempt of the subtask alone:
 * an attempt that Flink has given up may go on writing and disturbs nobody. Storage without
 * directories gets segment files of everything instead.
 */
public final class TableForm implements DurableForm {
    private static final Logger LOG = LoggerFactory.getLogger(TableForm.class);
    private static final AtomicBoolean TOLD_OF_SEGMENTS = new AtomicBoolean();

    private final String backendType;
    private final TableSettings settings;
    private final TableOwner owner;
    private final List<String> spillParents;
    private final SegmentForm segments;
    private final String table = UUID.randomUUID().toString();
    private final FormerTables formerTables = new FormerTables();
    private Map<String, ColumnType> restoredColumns = Map.of();

    /** What {@link #columns} was made from, compared by identity. */
    private List<Object> basis = List.of();

    private TableColumns columns = new TableColumns(List.of(), List.of());

    /**
     * Creates the form of one keyed backend.
     *
     * @param backendType the backend that uses it
     * @param spillParents directories below one of which the store spills; empty: it does not
     */
    public TableForm(
            String backendType,
            TableSettings settings,
            TableOwner owner,
            List<String> spillParents) {
        this.backendType = backendType;
        this.settings = settings;
        this.owner = owner;
        this.spillParents = List.copyOf(spillParents);
        this.segments = new SegmentForm(backendType, NativeCompression.LZ4);
    }

    /** Tells which typed columns the data files of a restored checkpoint may have. */
    public void restoredColumns(Map<String, ColumnType> restored) {
        restoredColumns = Map.copyOf(restored);
    }

    /** Tells the files of a checkpoint that is restored. */
    public void restoredFiles(Collection<StreamStateHandle> files) {
        formerTables.add(files);
    }

    /** Number of buckets of the table. */
    public int buckets() {
        return settings.buckets();
    }

    @Override
    public String backendType() {
        return backendType;
    }

    @Override
    public Closeable prepare(NativeStore store) throws IOException {
        store.keepPlaces(settings.options());
        if (spillParents.isEmpty()) {
            return () -> {};
        }
        SpillDirectory directory = SpillDirectory.create(spillParents);
        try {
            store.spillTo(directory.path().toString(), SpillDirectory.ADVICE);
        } catch (Throwable failure) {
            directory.close();
            throw failure;
        }
        return directory;
    }

    @Override
    public SnapshotKind possible(SnapshotKind wanted, CheckpointStreamFactory storage) {
        if (TableLocation.isKnown(storage)) {
            return wanted;
        }
        if (!TOLD_OF_SEGMENTS.getAndSet(true)) {
            LOG.warn(
                    "{} has no directory that a Paimon table could be in: checkpoints are written"
                            + " as segment files of the whole state. Use checkpoint storage in a"
                            + " file system.",
                    storage);
        }
        return SnapshotKind.FULL;
    }

    /** Data files are referred to where they lie. */
    @Override
    public boolean canReuse(StateFile file, CheckpointStreamFactory storage) {
        return true;
    }

    @Override
    public FormSnapshot begin(
            SnapshotKind kind, SnapshotContext<?> context, CheckpointStreamFactory storage) {
        if (!TableLocation.isKnown(storage)) {
            return segments.begin(SnapshotKind.FULL, context, storage);
        }
        refreshColumns(context);
        return new TableSnapshot(
                context.store(),
                switch (kind) {
                    case INCREMENTAL -> NativeTableMode.INCREMENTAL;
                    case FULL -> NativeTableMode.FULL;
                    case FULL_BASE -> NativeTableMode.FULL_BASE;
                },
                settings,
                storage,
                table,
                formerTables,
                columns,
                owner.properties(context.registry()));
    }

    private void refreshColumns(SnapshotContext<?> context) {
        List<Object> current = basis(context);
        if (isSame(current, basis)) {
            return;
        }
        TableColumns changed =
                settings.typedColumns()
                        ? TableColumns.typed(
                                context.registry(), context.keySerializer(), restoredColumns)
                        : TableColumns.untyped(context.registry(), context.keySerializer());
        context.store().columns(changed.description());
        columns = changed;
        basis = current;
    }

    private static List<Object> basis(SnapshotContext<?> context) {
        List<Object> basis = new ArrayList<>();
        basis.add(context.keySerializer());
        for (RegisteredState state : context.registry().states()) {
            basis.add(state);
            if (state.metaInfo() instanceof RegisteredKeyValueStateBackendMetaInfo<?, ?> keyed) {
                basis.add(keyed.getNamespaceSerializer());
                basis.add(keyed.getStateSerializer());
            }
        }
        return basis;
    }

    @SuppressWarnings("ReferenceEquality") // to compare serializers could take long
    private static boolean isSame(List<Object> some, List<Object> others) {
        if (some.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < some.size(); i++) {
            if (some.get(i) != others.get(i)) {
                return false;
            }
        }
        return true;
    }
}
