package io.streamfusion.state.memory.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.StreamFusionOptions;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Restores with several threads that end early end wholly. */
@ExtendWith(NoNativeLeaks.class)
class RestoreFailureTest {
    private static final List<Integer> KEYS = IntStream.range(0, 400).boxed().toList();

    @TempDir Path directory;
    private final Backends<Integer> backends = new Backends<>(IntSerializer.INSTANCE, 64);
    private IncrementalRemoteKeyedStateHandle checkpoint;
    private Map<String, String> expected;

    @BeforeEach
    void takeCheckpoint() throws Exception {
        Storage storage = new Storage(directory);
        SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
        CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
        Contents<Integer> contents = Contents.of(backend);
        for (long id = 1; id < 4; id++) {
            contents.write(KEYS, id);
            checkpoint =
                    (IncrementalRemoteKeyedStateHandle) storage.completeCheckpoint(backend, id);
            checkpoint.registerSharedStates(jobManager, id);
        }
        expected = contents.read(KEYS);
        Backends.dispose(backend);
    }

    @AfterEach
    void closeBackends() throws Exception {
        backends.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16, 1000})
    void anyNumberOfThreadsRestoresTheSame(int threads) throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend =
                restore(checkpoint, threads, new CloseableRegistry());
        assertThat(Contents.of(backend).read(KEYS)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 5, 30, 60})
    void cancellationEndsEveryThread(long reads) {
        CloseableRegistry cancellation = new CloseableRegistry();
        KeyedStateHandle cancelling = hooked(reads, cancellation::close);
        long handles = StreamFusionAbi.sf_live_handles();
        assertThatThrownBy(() -> restore(cancelling, 4, cancellation))
                .isInstanceOf(IOException.class);
        assertNothingIsLeft(handles);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 5, 30, 60})
    void aFailureOfOneThreadEndsTheOthers(long reads) {
        KeyedStateHandle failing =
                hooked(
                        reads,
                        () -> {
                            throw new IOException("The storage is gone.");
                        });
        long handles = StreamFusionAbi.sf_live_handles();
        assertThatThrownBy(() -> restore(failing, 4, new CloseableRegistry()))
                .hasRootCauseMessage("The storage is gone.");
        assertNothingIsLeft(handles);
    }

    /** The task is interrupted while a thread of the restore hangs in a read. */
    @Test
    void anInterruptWaitsForTheThreads() {
        Thread task = Thread.currentThread();
        KeyedStateHandle hanging =
                hooked(
                        30,
                        () -> {
                            assertThat(Thread.currentThread()).isNotSameAs(task);
                            task.interrupt();
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException e) {
                                throw new InterruptedIOException("The thread was ended.");
                            }
                        });
        long handles = StreamFusionAbi.sf_live_handles();
        assertThatThrownBy(() -> restore(hanging, 4, new CloseableRegistry()))
                .hasRootCauseInstanceOf(InterruptedException.class);
        assertNothingIsLeft(handles);
    }

    /** Store, budget and loaders are freed, the loaders after the threads that used them. */
    private static void assertNothingIsLeft(long handles) {
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(handles);
        assertThat(StreamFusionAbi.sf_charged_bytes()).isZero();
    }

    private CheckpointableKeyedStateBackend<Integer> restore(
            KeyedStateHandle handle, int threads, CloseableRegistry cancellation) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(StreamFusionOptions.RESTORE_THREADS, threads);
        return backends.create(
                new StreamFusionMemoryStateBackend(true),
                backends.allKeyGroups(),
                List.of(handle),
                configuration,
                cancellation);
    }

    /** The checkpoint with segments that do something when they are read for the n-th time. */
    private KeyedStateHandle hooked(long reads, HookedFile.Hook hook) {
        AtomicLong readsLeft = new AtomicLong(reads);
        return new IncrementalRemoteKeyedStateHandle(
                checkpoint.getBackendIdentifier(),
                checkpoint.getKeyGroupRange(),
                checkpoint.getCheckpointId(),
                checkpoint.getSharedState().stream()
                        .map(
                                file ->
                                        HandleAndLocalPath.of(
                                                new HookedFile(file.getHandle(), readsLeft, hook),
                                                file.getLocalPath()))
                        .toList(),
                List.of(),
                checkpoint.getMetaDataStateHandle());
    }
}
