package io.streamfusion.jmh.state;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.apache.flink.util.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One keyed state backend with {@code long} keys, created the way a task creates it: by the name
 * that {@code state.backend.type} takes, in an environment with managed memory.
 *
 * <p>Every backend runs with its defaults and the same managed memory; incremental checkpoints are
 * on, and ForSt keeps its files on the local disk as RocksDB does. Used by one thread. {@link
 * #close()} removes the working directory too.
 */
public final class BenchBackend implements AutoCloseable {
    /** System property with the managed memory of the slot in MiB. */
    public static final String MANAGED_MIB_PROPERTY = "streamfusion.bench.managed-mib";

    /** Key groups of the job; the subtask owns all of them unless a restore says otherwise. */
    public static final int KEY_GROUPS = 128;

    /** All of them. */
    static final KeyGroupRange ALL_KEY_GROUPS = KeyGroupRange.of(0, KEY_GROUPS - 1);

    private static final Logger LOG = LoggerFactory.getLogger(BenchBackend.class);
    private static final long DEFAULT_MANAGED_MIB = 512;

    private final Path workDirectory;
    private final MockEnvironment environment;
    private final CloseableRegistry cancelRegistry = new CloseableRegistry();
    private final CheckpointableKeyedStateBackend<Long> keyed;

    private BenchBackend(String name, KeyGroupRange range, Collection<KeyedStateHandle> handles)
            throws Exception {
        workDirectory = Files.createTempDirectory("streamfusion-bench-backend");
        Configuration configuration = configuration(name);
        TaskManagerRuntimeInfo runtimeInfo =
                new TestingTaskManagerRuntimeInfo(configuration, workDirectory.toFile());
        environment =
                new MockEnvironmentBuilder()
                        .setTaskName("bench")
                        .setManagedMemorySize(managedBytes())
                        .setMaxParallelism(KEY_GROUPS)
                        .setTaskManagerRuntimeInfo(runtimeInfo)
                        .build();
        ClassLoader classLoader = BenchBackend.class.getClassLoader();
        StateBackend backend =
                StateBackendLoader.loadStateBackendFromConfig(configuration, classLoader, LOG);
        JobID job = new JobID();
        environment.setCheckpointStorageAccess(
                new FileSystemCheckpointStorage(workDirectory.resolve("checkpoints").toUri())
                        .createCheckpointStorage(job));
        keyed =
                backend.createKeyedStateBackend(
                        new KeyedStateBackendParametersImpl<>(
                                environment,
                                job,
                                "bench",
                                LongSerializer.INSTANCE,
                                KEY_GROUPS,
                                range,
                                environment.getTaskKvStateRegistry(),
                                TtlTimeProvider.DEFAULT,
                                UnregisteredMetricGroups.createUnregisteredOperatorMetricGroup(),
                                (metric, value) -> {},
                                handles,
                                cancelRegistry,
                                1.0));
    }

    /** What a user would write into Flink's configuration for this backend. */
    public static Configuration configuration(String name) {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, name);
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        if (name.equals(StateBackendLoader.FORST_STATE_BACKEND_NAME)) {
            // By default it writes its files to checkpoint storage; the others work locally.
            configuration.setString("state.backend.forst.primary-dir", "local-dir");
        }
        return configuration;
    }

    /** An empty backend that owns all key groups. */
    public static BenchBackend open(String name) throws Exception {
        return restore(name, ALL_KEY_GROUPS, List.of());
    }

    /** A backend that owns {@code range}, filled from {@code handles}. */
    public static BenchBackend restore(
            String name, KeyGroupRange range, Collection<KeyedStateHandle> handles)
            throws Exception {
        return new BenchBackend(name, range, handles);
    }

    /** The backend as the operators see it. */
    public CheckpointableKeyedStateBackend<Long> keyed() {
        return keyed;
    }

    /** Registers a state and returns the object that the user function would hold. */
    public <S extends State> S state(StateDescriptor<S, ?> descriptor) throws Exception {
        return keyed.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    @Override
    public void close() throws IOException {
        closeAll(keyed, keyed::dispose, cancelRegistry, environment);
        deleteRecursively(workDirectory);
    }

    /** Closes all of them, in order, whatever one of them throws. */
    static void closeAll(AutoCloseable... resources) throws IOException {
        try {
            IOUtils.closeAll(resources);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("Cannot free a benchmark's resources", e);
        }
    }

    /** Managed memory of the slot in bytes. */
    public static long managedBytes() {
        return Long.getLong(MANAGED_MIB_PROPERTY, DEFAULT_MANAGED_MIB) << 20;
    }

    /** Removes a directory and what is in it. */
    static void deleteRecursively(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            paths.sorted(Comparator.reverseOrder())
                    .map(Path::toFile)
                    .forEach(BenchBackend::deleteOne);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void deleteOne(File file) {
        if (!file.delete()) {
            throw new UncheckedIOException(new IOException("Cannot delete " + file));
        }
    }
}
