package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeSpillStats;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.ffi.NativeStoreOwner;
import io.streamfusion.ffi.NativeStoreStats;
import io.streamfusion.state.memory.metrics.StoreMetrics;
import io.streamfusion.state.memory.registry.RegisteredState;
import io.streamfusion.state.memory.registry.StateRegistry;
import io.streamfusion.state.memory.snapshot.NativeSnapshotStrategy;
import io.streamfusion.state.memory.timer.NativePriorityQueues;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SavepointSnapshotStrategy;
import org.apache.flink.runtime.state.SnapshotExecutionType;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.IOUtils;

/**
 * A keyed backend over one native store.
 *
 * <p>Everything runs on the task thread that created the backend, except the asynchronous part of
 * snapshots, which owns what it reads, and {@link #close()}.
 *
 * @param <K> type of the keys
 */
public final class NativeKeyedStateBackend<K> extends AbstractKeyedStateBackend<K>
        implements NativeStoreOwner {
    /** Key switches between two pieces of background work, and when more of it is waiting. */
    private static final int MAINTENANCE_INTERVAL = 1024;

    private static final int BUSY_MAINTENANCE_INTERVAL = 128;

    /** The figures of the store are summed over all key groups, which is not for every time. */
    private static final int MAINTENANCES_PER_PUBLICATION = 8;

    private final Thread owner = Thread.currentThread();
    private final BackendResources resources;
    private final NativeStore store;
    private final StateRegistry registry;
    private final CompositeKey<K> compositeKey;
    private final RowAccess<K> rows;
    private final StateRegistration registration;
    private final NativePriorityQueues priorityQueues;
    private final NativeSnapshotStrategy<K> snapshots;
    private final boolean sweepsExpiredRows;
    private final boolean incremental;
    private final String backendType;
    private final StoreMetrics metrics;
    private final Map<String, AbstractNativeState<K, ?, ?>> states = new HashMap<>();

    private int untilMaintenance = MAINTENANCE_INTERVAL;
    private int untilPublished = MAINTENANCES_PER_PUBLICATION;

    /** Sets the current key before an access, where Flink announces key switches elsewhere. */
    @Nullable private Runnable keySource;

    NativeKeyedStateBackend(NativeKeyedStateBackendBuilder<K> builder, BackendParts<K> parts) {
        super(
                builder.kvStateRegistry(),
                parts.keySerializer(),
                builder.userCodeClassLoader(),
                builder.executionConfig(),
                builder.timeProvider(),
                builder.latencyTracking(),
                builder.sizeTracking(),
                // Flink closes the one of the builder as soon as the backend is restored.
                new CloseableRegistry(),
                builder.keyGroupCompression(),
                parts.keyContext());
        resources = parts.resources();
        store = resources.store();
        registry = parts.registry();
        snapshots = parts.snapshots();
        metrics = parts.metrics();
        sweepsExpiredRows = builder.settings().sweepsExpiredRows();
        incremental = builder.settings().incremental();
        backendType = builder.backendType();
        compositeKey = new CompositeKey<>(parts.keySerializer());
        rows = new RowAccess<>(store, compositeKey);
        registration = new StateRegistration(registry, this);
        priorityQueues =
                new NativePriorityQueues(store, registry, keyGroupRange, numberOfKeyGroups);
        publishMetrics();
    }

    // ---- keys

    @Override
    public void setCurrentKey(K newKey) {
        super.setCurrentKey(newKey);
        keySwitched(newKey);
    }

    @Override
    public void setCurrentKeyAndKeyGroup(K newKey, int newKeyGroupIndex) {
        super.setCurrentKeyAndKeyGroup(newKey, newKeyGroupIndex);
        keySwitched(newKey);
    }

    private void keySwitched(K newKey) {
        compositeKey.setKey(newKey, getCurrentKeyGroupIndex());
        if (--untilMaintenance == 0) {
            maintain();
        }
    }

    private void maintain() {
        boolean moreWaits = store.maintain(ttlTimeProvider.currentTimestamp());
        untilMaintenance = moreWaits ? BUSY_MAINTENANCE_INTERVAL : MAINTENANCE_INTERVAL;
        if (--untilPublished == 0) {
            untilPublished = MAINTENANCES_PER_PUBLICATION;
            publishMetrics();
        }
    }

    @Override
    public <N> Stream<K> getKeys(String state, N namespace) {
        return getKeys(List.of(state), namespace);
    }

    @Override
    public <N> Stream<K> getKeys(List<String> stateNames, N namespace) {
        List<RegisteredState> present = new ArrayList<>();
        for (String name : stateNames) {
            RegisteredState state = registry.get(name);
            if (isKeyedState(state)) {
                present.add(state);
            }
        }
        return keyScan().keys(present, namespace);
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String stateName) {
        RegisteredState state = registry.get(stateName);
        return isKeyedState(state) ? keyScan().keysAndNamespaces(state) : Stream.empty();
    }

    private KeyScan<K> keyScan() {
        return new KeyScan<>(store, keyGroupRange, keySerializer);
    }

    private static boolean isKeyedState(RegisteredState state) {
        return state != null
                && state.metaInfo() instanceof RegisteredKeyValueStateBackendMetaInfo<?, ?>;
    }

    // ---- states and timers

    @Override
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> stateDesc,
            StateSnapshotTransformFactory<SEV> snapshotTransformFactory)
            throws Exception {
        return createOrUpdateInternalState(
                namespaceSerializer, stateDesc, snapshotTransformFactory, false);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The transform factory is not used: it drops expired rows from full snapshots, which the
     * store does itself.
     */
    @Override
    @SuppressWarnings("unchecked")
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> stateDesc,
            StateSnapshotTransformFactory<SEV> snapshotTransformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        StateSpec<N, SV> spec =
                registration.register(stateDesc, namespaceSerializer, allowFutureMetadataUpdates);
        AbstractNativeState<K, N, SV> state =
                (AbstractNativeState<K, N, SV>) states.get(stateDesc.getName());
        if (state == null) {
            state = StateObjects.create(this, spec);
            states.put(stateDesc.getName(), state);
        } else {
            state.adopt(spec);
        }
        return (IS) state;
    }

    @Override
    @SuppressWarnings("deprecation") // until Flink removes queryable state
    public void publishQueryableStateIfEnabled(
            StateDescriptor<?, ?> stateDescriptor, InternalKvState<?, ?, ?> kvState) {
        if (stateDescriptor.isQueryable()) {
            store.allowGuests();
        }
        super.publishQueryableStateIfEnabled(stateDescriptor, kvState);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName, TypeSerializer<T> byteOrderedElementSerializer) {
        return priorityQueues.create(stateName, byteOrderedElementSerializer);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    String stateName,
                    TypeSerializer<T> byteOrderedElementSerializer,
                    boolean allowFutureMetadataUpdates) {
        return priorityQueues.create(
                stateName, byteOrderedElementSerializer, allowFutureMetadataUpdates);
    }

    @Override
    public boolean requiresLegacySynchronousTimerSnapshots(SnapshotType checkpointType) {
        return false;
    }

    /** True: a state keeps bytes, so that the caller may change an object it has handed over. */
    @Override
    public boolean isSafeToReuseKVState() {
        return true;
    }

    @Override
    public String getBackendTypeIdentifier() {
        return backendType;
    }

    @Override
    public int numKeyValueStateEntries() {
        long entries = 0;
        for (RegisteredState state : registry.states()) {
            entries += store.stateRows(state.id());
        }
        return Math.toIntExact(entries);
    }

    // ---- snapshots

    @Override
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory streamFactory,
            CheckpointOptions checkpointOptions)
            throws Exception {
        boolean leavesElementsOut =
                !incremental
                        && !checkpointOptions.getCheckpointType().isSavepoint()
                        && registration.hasExpiringLists();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                leavesElementsOut
                        ? new SnapshotStrategyRunner<>(
                                        "Full checkpoint without expired elements",
                                        new SavepointSnapshotStrategy<>(canonicalSnapshot()),
                                        cancelStreamRegistry,
                                        SnapshotExecutionType.ASYNCHRONOUS)
                                .snapshot(checkpointId, timestamp, streamFactory, checkpointOptions)
                        : snapshots.snapshot(
                                checkpointId,
                                timestamp,
                                streamFactory,
                                checkpointOptions,
                                cancelStreamRegistry);
        publishMetrics();
        return snapshot;
    }

    @Override
    public SavepointResources<K> savepoint() {
        return new SavepointResources<>(canonicalSnapshot(), SnapshotExecutionType.ASYNCHRONOUS);
    }

    private FullSnapshotResources<K> canonicalSnapshot() {
        FullSnapshotResources<K> all =
                snapshots.savepoint(keyGroupCompressionDecorator).getSnapshotResources();
        return registration.hasExpiringLists()
                ? new UnexpiredSnapshot<>(
                        all, registration.listExpiries(), ttlTimeProvider.currentTimestamp())
                : all;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        snapshots.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        snapshots.notifyCheckpointAborted(checkpointId);
    }

    // ---- the end

    /** Frees the native store; on the task thread. Disposing twice is harmless. */
    @Override
    public void dispose() {
        super.dispose();
        release();
    }

    /**
     * Stops running streams, and frees the native store as {@link #dispose()} does.
     *
     * <p>Flink's cancelling thread calls this while the task thread may be inside a native call.
     * Called by another thread than the owner, the store is therefore freed when the owner has
     * ended or has disposed the backend itself, whatever comes first.
     */
    @Override
    public void close() throws IOException {
        super.close();
        if (isOwner()) {
            release();
        } else if (!resources.isClosed()) {
            releaseWhenOwnerEnds();
        }
    }

    /** Starts a thread that waits for the owner; returned for tests. */
    Thread releaseWhenOwnerEnds() {
        return Thread.ofVirtual().name("streamfusion-release").start(this::releaseAfterOwner);
    }

    private void releaseAfterOwner() {
        try {
            owner.join();
            release();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void release() {
        states.clear();
        IOUtils.closeQuietly(snapshots);
        resources.close();
        metrics.publish(NativeStoreStats.EMPTY, NativeSpillStats.EMPTY, 0, 0);
    }

    // ---- for native operators

    @Override
    public NativeStore store() {
        return store;
    }

    @Override
    public int stateId(String name) {
        RegisteredState state = registry.get(name);
        if (state == null) {
            throw new IllegalArgumentException("No state named " + name + " is registered.");
        }
        return state.id();
    }

    @Override
    public long now() {
        return ttlTimeProvider.currentTimestamp();
    }

    @Override
    public void keysAccessed(int keys) {
        untilMaintenance -= keys;
        if (untilMaintenance <= 0) {
            maintain();
        }
    }

    // ---- for the states

    /** Lets {@code source} set the current key before each access to a state. */
    void setKeySource(Runnable source) {
        keySource = source;
    }

    void beforeAccess() {
        if (keySource != null) {
            keySource.run();
        }
    }

    RowAccess<K> rows() {
        return rows;
    }

    TtlTimeProvider ttlTimeProvider() {
        return ttlTimeProvider;
    }

    boolean sweepsExpiredRows() {
        return sweepsExpiredRows;
    }

    /** Whether the caller is the thread that may use the store at any time. */
    boolean isOwner() {
        return Thread.currentThread() == owner;
    }

    private void publishMetrics() {
        metrics.publish(
                store.stats(),
                store.spillStats(),
                resources.budget().used(),
                resources.budget().limit());
    }
}
