package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.FailingStorage;
import io.streamfusion.state.memory.snapshot.kit.FailurePoint;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that end before their end leave nothing behind and harm none after them. */
@ExtendWith(NoNativeLeaks.class)
public class SnapshotFailureTest implements TestedBackend {
    private static final List<Integer> KEYS = IntStream.range(0, 2000).boxed().toList();

    @TempDir Path directory;
    private Backends<Integer> backends;
    private Storage storage;
    private CheckpointableKeyedStateBackend<Integer> backend;
    private Contents<Integer> contents;

    @BeforeEach
    void createBackend() throws Exception {
        backends = new Backends<>(IntSerializer.INSTANCE, 16, () -> backend(true));
        storage = storage(directory);
        backend = backends.empty();
        contents = Contents.of(backend);
        contents.write(KEYS, 0);
    }

    /** Storage in a directory. */
    protected Storage storage(Path in) throws IOException {
        return new Storage(in);
    }

    /** Fails the write that exceeds so many bytes, with {@link FailingStorage#MESSAGE}. */
    protected FailurePoint failing(Storage in, long bytes) throws IOException {
        return new FailingStorage(in.factory(), bytes);
    }

    /** Fails every file that belongs to one checkpoint alone, with the same message. */
    protected CheckpointStreamFactory withoutExclusiveFiles(Storage in) throws IOException {
        return FailingStorage.withoutExclusiveFiles(in.factory());
    }

    @AfterEach
    void closeBackends() throws Exception {
        backends.close();
    }

    @Test
    void discardsEveryFileWhenAnyWriteFails() throws Exception {
        long handles = StreamFusionAbi.sf_live_handles();
        int failures = 0;
        for (int bytes = 0; ; bytes += 20_000) {
            FailurePoint failing = failing(storage, bytes);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                    begin(failing.factory(), bytes + 1);
            snapshot.run();
            failing.close();
            if (!failing.failed()) {
                snapshot.get();
                break;
            }
            failures++;
            assertThatThrownBy(snapshot::get).hasRootCauseMessage(FailingStorage.MESSAGE);
            assertThat(storage.sharedFiles()).isEmpty();
            assertThat(storage.exclusiveFiles()).isEmpty();
            assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(handles);
        }
        assertThat(failures).isGreaterThan(5);
        assertNextCheckpointsWork();
    }

    @Test
    void discardsTheRowsWhenTheManifestFails() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                begin(withoutExclusiveFiles(storage), 1);
        snapshot.run();
        assertThatThrownBy(snapshot::get).hasRootCauseMessage(FailingStorage.MESSAGE);
        assertThat(storage.sharedFiles()).isEmpty();
        assertNextCheckpointsWork();
    }

    @Test
    void cancelledBeforeItWasWritten() throws Exception {
        long handles = StreamFusionAbi.sf_live_handles();
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                storage.begin(backend, 1, CheckpointType.CHECKPOINT);
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(handles + 1);
        snapshot.cancel(true);
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(handles);
        snapshot.run();
        assertThatThrownBy(snapshot::get).isInstanceOf(CancellationException.class);
        assertNextCheckpointsWork();
    }

    @Test
    void cancelledWhileItIsWritten() throws Exception {
        FailurePoint cancelling = failing(storage, 50_000);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = begin(cancelling.factory(), 1);
        cancelling.insteadOfFailing(() -> snapshot.cancel(true));
        runInAnotherThread(snapshot);
        assertThatThrownBy(snapshot::get).isInstanceOf(CancellationException.class);
        assertThat(storage.sharedFiles()).isEmpty();
        assertThat(storage.exclusiveFiles()).isEmpty();
        assertNextCheckpointsWork();
    }

    /** After its last byte, before its future has the result. */
    @Test
    void cancelledInTheLastMoment() throws Exception {
        AtomicBoolean discarded = new AtomicBoolean();
        FutureTask<String> late =
                new FutureTask<>(() -> "result") {
                    @Override
                    protected void set(String result) {
                        cancel(false);
                        super.set(result);
                    }
                };
        DiscardingFuture<String> snapshot = new DiscardingFuture<>(late, () -> discarded.set(true));
        snapshot.run();
        assertThat(snapshot.isCancelled()).isTrue();
        assertThat(discarded).isTrue();

        DiscardingFuture<String> intact =
                new DiscardingFuture<>(
                        new FutureTask<>(() -> "result"), () -> discarded.set(false));
        intact.run();
        assertThat(intact.get()).isEqualTo("result");
        assertThat(intact.cancel(true)).isFalse();
        assertThat(discarded).isTrue();
    }

    @Test
    void theBackendClosesBeforeTheSnapshotIsWritten() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                storage.begin(backend, 1, CheckpointType.CHECKPOINT);
        Backends.dispose(backend);
        snapshot.run();
        assertThatThrownBy(snapshot::get).isInstanceOf(CancellationException.class);
        assertThat(StreamFusionAbi.sf_charged_bytes()).isZero();
        assertThat(storage.sharedFiles()).isEmpty();
    }

    /** The native snapshot outlives the store; the task's cancellation then ends it. */
    @Test
    void theBackendClosesWhileTheSnapshotIsWritten() throws Exception {
        FailurePoint closing = failing(storage, 50_000);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = begin(closing.factory(), 1);
        closing.insteadOfFailing(() -> Backends.dispose(backend));
        runInAnotherThread(snapshot);
        assertThatThrownBy(snapshot::get).isInstanceOf(CancellationException.class);
        assertThat(StreamFusionAbi.sf_charged_bytes()).isZero();
        assertThat(storage.sharedFiles()).isEmpty();
        assertThat(storage.exclusiveFiles()).isEmpty();
    }

    @Test
    void aSavepointThatNobodyWritesIsFreedWithTheBackend() {
        long handles = StreamFusionAbi.sf_live_handles();
        var unused = savepoint();
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(handles + 1);
        Backends.dispose(backend);
        unused.release();
        assertThat(StreamFusionAbi.sf_charged_bytes()).isZero();
    }

    private SnapshotResources savepoint() {
        try {
            return backend.savepoint().getSnapshotResources();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(
            CheckpointStreamFactory factory, long id) throws Exception {
        return backend.snapshot(
                id, id, factory, CheckpointOptions.forCheckpointWithDefaultLocation());
    }

    /** Cancelling interrupts the thread that writes. */
    private static void runInAnotherThread(Runnable snapshot) throws InterruptedException {
        Thread writer = new Thread(snapshot, "async snapshot");
        writer.start();
        writer.join();
    }

    private void assertNextCheckpointsWork() throws Exception {
        SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
        for (long id = 1_000_001; id < 1_000_004; id++) {
            contents.change(KEYS, id);
            KeyedStateHandle handle = storage.checkpoint(backend, id);
            handle.registerSharedStates(jobManager, id);
            ((CheckpointListener) backend).notifyCheckpointComplete(id);
            Map<String, String> expected = contents.read(KEYS);
            CheckpointableKeyedStateBackend<Integer> restored = backends.restored(handle);
            assertThat(Contents.of(restored).read(KEYS)).isEqualTo(expected);
            Backends.dispose(restored);
        }
    }
}
