package io.streamfusion.state.paimon.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.kit.Backends;
import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.snapshot.kit.Storage;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProviderImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Copies of tables on the task's disk. */
@ExtendWith(NoNativeLeaks.class)
class TableLocalRecoveryTest {
    private static final List<Integer> KEYS = IntStream.range(0, 300).boxed().toList();

    @TempDir Path remote;
    @TempDir Path local;

    @Test
    void restoresWithoutTheRemoteFilesAndGoesOn() throws Exception {
        Storage storage = new Storage(remote);
        LocalRecoveryConfig config =
                LocalRecoveryConfig.backupAndRecoveryEnabled(
                        new LocalSnapshotDirectoryProviderImpl(
                                new File[] {local.toFile()}, new JobID(), new JobVertexID(), 0));
        try (Backends<Integer> backends =
                new Backends<>(
                        IntSerializer.INSTANCE,
                        16,
                        config,
                        () -> new StreamFusionPaimonStateBackend(true))) {
            CheckpointableKeyedStateBackend<Integer> backend = backends.empty();
            Contents<Integer> contents = Contents.of(backend);
            contents.write(KEYS, 0);
            SnapshotResult<KeyedStateHandle> last = checkpoint(storage, backend, 1);
            for (int id = 2; id < 5; id++) {
                contents.change(id % 2 == 0 ? KEYS : KEYS.subList(0, 9), id);
                last = checkpoint(storage, backend, id);
            }
            Map<String, String> expected = contents.read(KEYS);
            CheckpointableKeyedStateBackend<Integer> restored =
                    backends.restored(last.getTaskLocalSnapshot());
            Contents<Integer> again = Contents.of(restored);
            again.change(KEYS.subList(0, 9), 6);
            SnapshotResult<KeyedStateHandle> next = checkpoint(storage, restored, 6);
            assertThat(next.getJobManagerOwnedSnapshot().getCheckpointedSize())
                    .isLessThan(next.getStateSize() / 2);
            FileUtils.deleteDirectory(remote.toFile());

            assertThat(Contents.of(backends.restored(last.getTaskLocalSnapshot())).read(KEYS))
                    .isEqualTo(expected);
            assertThat(Contents.of(backends.restored(next.getTaskLocalSnapshot())).read(KEYS))
                    .isEqualTo(again.read(KEYS));
        }
    }

    private static SnapshotResult<KeyedStateHandle> checkpoint(
            Storage storage, CheckpointableKeyedStateBackend<Integer> backend, long id)
            throws Exception {
        SnapshotResult<KeyedStateHandle> result =
                storage.take(backend, id, CheckpointType.CHECKPOINT);
        ((CheckpointListener) backend).notifyCheckpointComplete(id);
        return result;
    }
}
