package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RunnableFuture;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManager;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManager.SubtaskKey;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManagerBuilder;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingType;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.apache.flink.runtime.state.filesystem.FsMergingCheckpointStorageLocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checkpoints whose files Flink packs into larger ones and deletes on its own account. */
@ExtendWith(NoNativeLeaks.class)
public abstract class FileMergingTestBase implements TestedBackend {
    protected static final List<Integer> KEYS = IntStream.range(0, 200).boxed().toList();
    private static final SubtaskKey SUBTASK = new SubtaskKey("job", "operator", 0, 1);
    private static final int BUFFER_BYTES = 4096;

    @TempDir Path directory;
    private Backends<Integer> backends;
    private final SharedStateRegistryImpl jobManager = new SharedStateRegistryImpl();
    private FileMergingSnapshotManager manager;
    private CheckpointableKeyedStateBackend<Integer> backend;
    protected Contents<Integer> contents;

    @BeforeEach
    void createBackend() throws Exception {
        backends = new Backends<>(IntSerializer.INSTANCE, 16, () -> backend(true));
        backend = backends.empty();
        contents = Contents.of(backend);
        contents.write(KEYS, 0);
    }

    /** What files with rows become: merged with others, or files as they are. */
    protected abstract Class<? extends StreamStateHandle> kindOfFiles();

    /** Whether the storage lets files of earlier checkpoints be reused, its own rules apart. */
    protected boolean mayReuse() {
        return true;
    }

    @AfterEach
    void closeAll() throws Exception {
        backends.close();
        manager.close();
    }

    /** Begins to merge; at most so much more space than is used. */
    protected final void merge(FileMergingType type, float maxSpaceAmplification) {
        manager =
                new FileMergingSnapshotManagerBuilder(new JobID(), new ResourceID("tm"), type)
                        .setMaxSpaceAmplification(maxSpaceAmplification)
                        .build();
        manager.initFileSystem(
                fileSystem(),
                path("checkpoints"),
                path("checkpoints/shared"),
                path("checkpoints/taskowned"),
                BUFFER_BYTES);
        manager.registerSubtaskForSharedStates(SUBTASK);
    }

    @ParameterizedTest
    @EnumSource(FileMergingType.class)
    void reusesMergedFiles(FileMergingType type) throws Exception {
        merge(type, Float.MAX_VALUE);
        KeyedStateHandle last = null;
        for (long id = 1; id < 12; id++) {
            contents.change(KEYS, id);
            last = checkpoint(id);
            assertRestores(last);
        }
        assertThat(filesOf(last)).hasSizeGreaterThan(5).hasOnlyElementsOfType(kindOfFiles());
        assertThat(((IncrementalRemoteKeyedStateHandle) last).getMetaDataStateHandle())
                .isInstanceOf(SegmentFileStateHandle.class);
    }

    @Test
    void obeysTheLimitOfWastedSpace() throws Exception {
        merge(FileMergingType.MERGE_ACROSS_CHECKPOINT, 1.2f);
        for (long id = 1; id < 40; id++) {
            contents.change(KEYS, id);
            contents.write(KEYS.subList(0, 20), id);
            assertRestores(checkpoint(id));
        }
    }

    /** Takes a checkpoint and completes it; it subsumes the one before. */
    protected final KeyedStateHandle checkpoint(long id) throws Exception {
        manager.notifyCheckpointStart(SUBTASK, id);
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                backend.snapshot(
                        id, id, storage(id), CheckpointOptions.forCheckpointWithDefaultLocation());
        snapshot.run();
        KeyedStateHandle handle = snapshot.get().getJobManagerOwnedSnapshot();
        handle.registerSharedStates(jobManager, id);
        jobManager.unregisterUnusedState(id);
        manager.notifyCheckpointComplete(SUBTASK, id);
        manager.notifyCheckpointSubsumed(SUBTASK, id - 1);
        ((CheckpointListener) backend).notifyCheckpointComplete(id);
        return handle;
    }

    private FsMergingCheckpointStorageLocation storage(long id) {
        return new FsMergingCheckpointStorageLocation(
                SUBTASK,
                fileSystem(),
                path("checkpoints/chk-" + id),
                path("checkpoints/shared"),
                path("checkpoints/taskowned"),
                CheckpointStorageLocationReference.getDefault(),
                0,
                BUFFER_BYTES,
                manager,
                id) {
            @Override
            public boolean couldReuseStateHandle(StreamStateHandle stateHandle) {
                return mayReuse() && super.couldReuseStateHandle(stateHandle);
            }
        };
    }

    /** Fails unless the checkpoint holds what the backend does. */
    protected final void assertRestores(KeyedStateHandle handle) throws Exception {
        Map<String, String> expected = contents.read(KEYS);
        CheckpointableKeyedStateBackend<Integer> restored = backends.restored(handle);
        assertThat(Contents.of(restored).read(KEYS)).isEqualTo(expected);
        Backends.dispose(restored);
    }

    /** The files with rows. */
    protected static List<StreamStateHandle> filesOf(KeyedStateHandle handle) {
        return ((IncrementalRemoteKeyedStateHandle) handle)
                .getSharedState().stream().map(file -> file.getHandle()).toList();
    }

    private static FileSystem fileSystem() {
        return LocalFileSystem.getSharedInstance();
    }

    private org.apache.flink.core.fs.Path path(String name) {
        return new org.apache.flink.core.fs.Path(directory.resolve(name).toUri());
    }
}
