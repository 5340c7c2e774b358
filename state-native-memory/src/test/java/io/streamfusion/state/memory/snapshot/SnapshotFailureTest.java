package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.FailingStorage;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
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
class SnapshotFailureTest {
    private static final List<Integer> KEYS = IntStream.range(0, 2000).boxed().toList();

    @TempDir Path directory;
    private final Backends<Integer> backends = new Backends<>(IntSerializer.INSTANCE, 16);
    private Storage storage;
    private CheckpointableKeyedStateBackend<Integer> backend;
    private Contents<Integer> contents;

    @BeforeEach
    void createBackend() throws Exception {
        storage = new Storage(directory);
        backend = backends.empty();
        contents = Contents.of(backend);
        contents.write(KEYS, 0);
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
            FailingStorage failing = new FailingStorage(storage.factory(), bytes);
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = begin(failing, bytes + 1);
            snapshot.run();
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
    void discardsTheSegmentWhenTheManifestFails() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                begin(FailingStorage.withoutExclusiveFiles(storage.factory()), 1);
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
        FailingStorage cancelling = new FailingStorage(storage.factory(), 50_000);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = begin(cancelling, 1);
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
        FailingStorage closing = new FailingStorage(storage.factory(), 50_000);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = begin(closing, 1);
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

    private RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(FailingStorage factory, long id)
            throws Exception {
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
