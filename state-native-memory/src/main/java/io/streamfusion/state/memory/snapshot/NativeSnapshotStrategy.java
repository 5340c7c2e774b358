package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeCompression;
import io.streamfusion.ffi.NativeSnapshot;
import io.streamfusion.ffi.NativeSnapshotMode;
import io.streamfusion.state.memory.registry.RegisteredState;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RunnableFuture;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.DoneFuture;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotExecutionType;
import org.apache.flink.runtime.state.SnapshotResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategy;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
import org.apache.flink.runtime.state.StreamCompressionDecorator;

/**
 * Takes the snapshots of one keyed backend.
 *
 * <p>On the task thread a snapshot freezes the store and copies the list of states, so that its
 * time depends on the number of states and key groups only. The rest runs on Flink's asynchronous
 * operations thread and needs neither the store nor the registry: closing the backend does not
 * disturb it. All methods are called on the task thread.
 *
 * @param <K> type of the keys
 */
public final class NativeSnapshotStrategy<K> implements CheckpointListener, AutoCloseable {
    private static final String DESCRIPTION = "StreamFusion snapshot";
    private static final long NO_TTL_FILTER = Long.MIN_VALUE;
    private static final CheckpointHistory.Plan NOTHING_REUSED =
            new CheckpointHistory.Plan(false, Map.of(), Map.of());

    private final SnapshotContext<K> context;
    private final SnapshotSettings settings;
    private final LongSupplier ttlClock;
    private final SnapshotMetrics metrics;
    private final UUID backendId;
    private final CheckpointHistory history;
    private final LocalSegmentFiles localFiles = new LocalSegmentFiles();
    private final Set<SnapshotLease> openSnapshots = ConcurrentHashMap.newKeySet();
    private final CheckpointHistory.NativeCalls nativeCalls =
            new CheckpointHistory.NativeCalls() {
                @Override
                public void complete(long checkpointId) {
                    context.store().checkpointComplete(checkpointId);
                }

                @Override
                public void abort(long checkpointId) {
                    context.store().checkpointAbort(checkpointId);
                }
            };

    /**
     * @param base the restored checkpoint to build on, if any
     * @param ttlClock the time that decides which rows are expired, milliseconds
     */
    public NativeSnapshotStrategy(
            SnapshotContext<K> context,
            SnapshotSettings settings,
            Optional<RestoredBase> base,
            LongSupplier ttlClock,
            SnapshotMetrics metrics) {
        this.context = context;
        this.settings = settings;
        this.ttlClock = ttlClock;
        this.metrics = metrics;
        this.backendId = base.map(RestoredBase::backendId).orElseGet(UUID::randomUUID);
        this.history = new CheckpointHistory(base);
        base.ifPresent(this::rememberLocalFiles);
    }

    private void rememberLocalFiles(RestoredBase base) {
        base.localDirectory()
                .ifPresent(
                        directory ->
                                base.files()
                                        .forEach(
                                                s ->
                                                        localFiles.add(
                                                                s.number(),
                                                                directory.resolve(s.name()))));
    }

    /**
     * Takes a checkpoint or a native savepoint.
     *
     * @param cancellation cancels the asynchronous part when it is closed
     * @return the asynchronous part; its result is empty when no state is registered
     */
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory storage,
            CheckpointOptions options,
            CloseableRegistry cancellation)
            throws Exception {
        if (context.registry().isEmpty()) {
            return DoneFuture.of(SnapshotResult.empty());
        }
        Prepared prepared = new Prepared(storage, options.getCheckpointType());
        try {
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                    new SnapshotStrategyRunner<>(
                                    DESCRIPTION,
                                    prepared,
                                    cancellation,
                                    SnapshotExecutionType.ASYNCHRONOUS)
                            .snapshot(checkpointId, timestamp, storage, options);
            return new DiscardingFuture<>(
                    snapshot, prepared.resources.orElseThrow().operation::discardResult);
        } catch (Exception | Error e) {
            prepared.resources.ifPresent(Resources::release);
            throw e;
        }
    }

    /**
     * Freezes the store for a savepoint in canonical format.
     *
     * @param keyGroupCompression how the job wants the key groups of a savepoint compressed
     */
    public SavepointResources<K> savepoint(StreamCompressionDecorator keyGroupCompression) {
        long start = System.nanoTime();
        history.settle(nativeCalls);
        CanonicalSnapshotResources<K> resources =
                new CanonicalSnapshotResources<>(
                        context, keyGroupCompression, () -> open(canonical()), openSnapshots);
        metrics.syncPart(System.nanoTime() - start);
        return new SavepointResources<>(resources, SnapshotExecutionType.ASYNCHRONOUS);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        history.completed(checkpointId, nativeCalls);
        localFiles.retain(history.liveFiles());
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) {
        history.aborted(checkpointId, nativeCalls);
    }

    /** Frees snapshots that nobody writes; one that is being written frees itself. */
    @Override
    public void close() {
        openSnapshots.removeIf(SnapshotLease::releaseIfWaiting);
    }

    private NativeSnapshot canonical() {
        return context.store()
                .beginSnapshot(
                        0,
                        NativeSnapshotMode.CANONICAL,
                        NativeCompression.NONE,
                        ttlClock.getAsLong());
    }

    private SnapshotLease open(NativeSnapshot frozen) {
        SnapshotLease lease = new SnapshotLease(frozen);
        openSnapshots.add(lease);
        return lease;
    }

    /** One snapshot: its kind depends on its type, which Flink gives to the second step only. */
    private final class Prepared implements SnapshotStrategy<KeyedStateHandle, Resources> {
        private final CheckpointStreamFactory storage;
        private final SnapshotType type;
        private Optional<Resources> resources = Optional.empty();

        private Prepared(CheckpointStreamFactory storage, SnapshotType type) {
            this.storage = storage;
            this.type = type;
        }

        @Override
        public Resources syncPrepareResources(long checkpointId) {
            long start = System.nanoTime();
            history.settle(nativeCalls);
            SnapshotKind kind = settings.form().possible(kind(type), storage);
            CheckpointHistory.Plan plan = NOTHING_REUSED;
            if (kind == SnapshotKind.INCREMENTAL) {
                plan = history.plan(file -> settings.form().canReuse(file, storage));
                kind = plan.reusable() ? kind : SnapshotKind.FULL_BASE;
            }
            boolean canBecomeBase = kind != SnapshotKind.FULL;
            SnapshotOperation.Request request = request(checkpointId, plan, canBecomeBase);
            FormSnapshot form = settings.form().begin(kind, context, storage);
            long ttlNow = canBecomeBase ? NO_TTL_FILTER : ttlClock.getAsLong();
            SnapshotLease lease = open(form.freeze(checkpointId, ttlNow));
            if (canBecomeBase) {
                history.begun(checkpointId, plan);
            }
            SnapshotOperation operation =
                    new SnapshotOperation(
                            request,
                            context,
                            backendId,
                            form,
                            lease,
                            storage,
                            history,
                            localFiles,
                            metrics);
            Resources prepared = new Resources(checkpointId, lease, operation);
            resources = Optional.of(prepared);
            metrics.syncPart(System.nanoTime() - start);
            return prepared;
        }

        private SnapshotOperation.Request request(
                long checkpointId, CheckpointHistory.Plan plan, boolean canBecomeBase) {
            return new SnapshotOperation.Request(
                    checkpointId,
                    plan,
                    canBecomeBase,
                    canBecomeBase
                            ? CheckpointedStateScope.SHARED
                            : CheckpointedStateScope.EXCLUSIVE,
                    !type.isSavepoint() && context.localRecovery().isLocalBackupEnabled(),
                    new KeyedBackendSerializationProxy<>(
                            context.keySerializer(), context.registry().snapshotMetaInfos(), false),
                    context.registry().states().stream()
                            .map(NativeSnapshotStrategy::describe)
                            .toList());
        }

        @Override
        public SnapshotResultSupplier<KeyedStateHandle> asyncSnapshot(
                Resources prepared,
                long checkpointId,
                long timestamp,
                CheckpointStreamFactory streamFactory,
                CheckpointOptions checkpointOptions) {
            return prepared.operation;
        }
    }

    private SnapshotKind kind(SnapshotType type) {
        if (!settings.incremental()) {
            return SnapshotKind.FULL;
        }
        return switch (type.getSharingFilesStrategy()) {
            case FORWARD_BACKWARD -> SnapshotKind.INCREMENTAL;
            case FORWARD -> SnapshotKind.FULL_BASE;
            case NO_SHARING -> SnapshotKind.FULL;
        };
    }

    private static CheckpointManifest.State describe(RegisteredState state) {
        return new CheckpointManifest.State(state.id(), state.kind(), state.name());
    }

    /** Ends with the asynchronous part, or without one when that was cancelled before it began. */
    private final class Resources implements SnapshotResources {
        private final long checkpointId;
        private final SnapshotLease lease;
        private final SnapshotOperation operation;

        private Resources(long checkpointId, SnapshotLease lease, SnapshotOperation operation) {
            this.checkpointId = checkpointId;
            this.lease = lease;
            this.operation = operation;
        }

        @Override
        public void release() {
            lease.release();
            openSnapshots.remove(lease);
            if (!operation.succeeded()) {
                history.failed(checkpointId);
            }
        }
    }
}
