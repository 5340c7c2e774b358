package io.streamfusion.state.memory.snapshot.kit;

import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.query.KvStateRegistry;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.util.IOUtils;

/**
 * Creates keyed backends of every kind in one simulated task and closes them.
 *
 * @param <K> type of the keys
 */
public final class Backends<K> implements AutoCloseable {
    /** Managed memory of the simulated slot. */
    private static final long SLOT_BYTES = 128L << 20;

    /** Two kinds of backend fit into a slot. */
    private static final double SHARE_OF_SLOT = 0.5;

    /** The backends that share canonical savepoints. */
    public enum Type {
        HASHMAP,
        ROCKSDB,
        STREAMFUSION;

        /** The backend with its default options. */
        public ConfigurableStateBackend backend() {
            return switch (this) {
                case HASHMAP -> new HashMapStateBackend();
                case ROCKSDB -> new EmbeddedRocksDBStateBackend(true);
                case STREAMFUSION -> new StreamFusionMemoryStateBackend(true);
            };
        }
    }

    private final TypeSerializer<K> keySerializer;
    private final int numberOfKeyGroups;
    private final MockTtlTimeProvider clock = new MockTtlTimeProvider();
    private final MockEnvironment environment;
    private final Supplier<? extends ConfigurableStateBackend> ours;
    private final CloseableRegistry backends = new CloseableRegistry();
    private MetricGroup metrics = new UnregisteredMetricsGroup();

    /** A task without local recovery; the backend of ours is the one in memory. */
    public Backends(TypeSerializer<K> keySerializer, int numberOfKeyGroups) {
        this(keySerializer, numberOfKeyGroups, () -> new StreamFusionMemoryStateBackend(true));
    }

    /** A task without local recovery whose backends of ours are these. */
    public Backends(
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            Supplier<? extends ConfigurableStateBackend> ours) {
        this(
                keySerializer,
                numberOfKeyGroups,
                LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED,
                ours);
    }

    /** A task with this local recovery whose backends of ours are these. */
    public Backends(
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            LocalRecoveryConfig local,
            Supplier<? extends ConfigurableStateBackend> ours) {
        this.ours = ours;
        this.keySerializer = keySerializer;
        this.numberOfKeyGroups = numberOfKeyGroups;
        this.environment =
                MockEnvironment.builder()
                        .setManagedMemorySize(SLOT_BYTES)
                        .setTaskStateManager(
                                TestTaskStateManager.builder()
                                        .setLocalRecoveryConfig(local)
                                        .build())
                        .build();
    }

    /** Where the backends that are created from now on register what they show. */
    public void setMetrics(MetricGroup group) {
        metrics = group;
    }

    /** Time for state with a time to live. */
    public MockTtlTimeProvider clock() {
        return clock;
    }

    /** The simulated task. */
    public MockEnvironment environment() {
        return environment;
    }

    /** Serializer of the keys. */
    public TypeSerializer<K> keySerializer() {
        return keySerializer;
    }

    /** An incremental backend of ours for all key groups, empty. */
    public CheckpointableKeyedStateBackend<K> empty() throws Exception {
        return create(ours.get(), allKeyGroups(), List.of());
    }

    /** An incremental backend of ours for all key groups. */
    public CheckpointableKeyedStateBackend<K> restored(KeyedStateHandle... handles)
            throws Exception {
        return create(ours.get(), allKeyGroups(), List.of(handles));
    }

    /** All key groups of the job. */
    public KeyGroupRange allKeyGroups() {
        return KeyGroupRange.of(0, numberOfKeyGroups - 1);
    }

    /** Creates a backend and restores the handles. */
    public CheckpointableKeyedStateBackend<K> create(
            ConfigurableStateBackend backend,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles)
            throws Exception {
        return create(backend, range, handles, new Configuration());
    }

    /** Creates a configured backend and restores the handles. */
    public CheckpointableKeyedStateBackend<K> create(
            ConfigurableStateBackend backend,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles,
            Configuration configuration)
            throws Exception {
        return create(backend, range, handles, configuration, new CloseableRegistry());
    }

    /** Creates a configured backend and restores the handles unless it is cancelled meanwhile. */
    public CheckpointableKeyedStateBackend<K> create(
            ConfigurableStateBackend backend,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles,
            Configuration configuration,
            CloseableRegistry cancellation)
            throws Exception {
        CheckpointableKeyedStateBackend<K> created =
                ((ConfigurableStateBackend)
                                backend.configure(configuration, getClass().getClassLoader()))
                        .createKeyedStateBackend(
                                new KeyedStateBackendParametersImpl<>(
                                        environment,
                                        new JobID(),
                                        "operator",
                                        keySerializer,
                                        numberOfKeyGroups,
                                        range,
                                        new KvStateRegistry()
                                                .createTaskRegistry(
                                                        environment.getJobID(),
                                                        environment.getJobVertexId()),
                                        clock,
                                        metrics,
                                        (name, value) -> {},
                                        handles,
                                        cancellation,
                                        SHARE_OF_SLOT));
        backends.registerCloseable(() -> dispose(created));
        return created;
    }

    /** Ends one backend before the others. */
    public static void dispose(CheckpointableKeyedStateBackend<?> backend) {
        try {
            backend.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            backend.dispose();
        }
    }

    @Override
    public void close() throws IOException {
        backends.close();
        IOUtils.closeQuietly(environment);
    }
}
