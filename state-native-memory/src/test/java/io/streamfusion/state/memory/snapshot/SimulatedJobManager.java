package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * The part of a checkpoint coordinator that owns shared files: Flink's own registry, one retained
 * checkpoint, and files that remember whether they were deleted.
 */
final class SimulatedJobManager {

    /** A file in checkpoint storage. */
    static final class StoredFile extends ByteStreamStateHandle {
        private static final long serialVersionUID = 1L;
        private transient boolean deleted;

        StoredFile(String name) {
            super(name + "-" + UUID.randomUUID(), new byte[] {1});
        }

        @Override
        public void discardState() {
            deleted = true;
        }

        boolean deleted() {
            return deleted;
        }
    }

    private final SharedStateRegistryImpl registry = new SharedStateRegistryImpl();
    private final Map<Long, IncrementalRemoteKeyedStateHandle> acknowledged = new TreeMap<>();
    private long retained = -1;

    /** The task acknowledges a checkpoint with these files. */
    void acknowledge(long checkpointId, List<HandleAndLocalPath> files) {
        IncrementalRemoteKeyedStateHandle handle =
                new IncrementalRemoteKeyedStateHandle(
                        new UUID(1, 1),
                        KeyGroupRange.of(0, 0),
                        checkpointId,
                        files,
                        List.of(),
                        new ByteStreamStateHandle("manifest-" + checkpointId, new byte[0]));
        handle.registerSharedStates(registry, checkpointId);
        acknowledged.put(checkpointId, handle);
    }

    /** Completes an acknowledged checkpoint, which subsumes all older ones. */
    void complete(long checkpointId) {
        retained = checkpointId;
        acknowledged.keySet().removeIf(id -> id < checkpointId);
        registry.unregisterUnusedState(checkpointId);
    }

    /** Gives a checkpoint up; what it alone uses goes with the next completed one. */
    void abort(long checkpointId) {
        acknowledged.remove(checkpointId);
    }

    /** Every file of the retained checkpoint is there. */
    void assertRetainedIsComplete(List<StateFile> needed) {
        Map<String, StreamStateHandle> files = new LinkedHashMap<>();
        acknowledged
                .get(retained)
                .getSharedState()
                .forEach(file -> files.put(file.getLocalPath(), file.getHandle()));
        List<String> lost = new ArrayList<>();
        for (StateFile segment : needed) {
            StreamStateHandle file = files.get(segment.name());
            if (!(file instanceof StoredFile stored) || stored.deleted()) {
                lost.add(segment.name() + " -> " + file);
            }
        }
        assertThat(lost).as("lost files of checkpoint %s", retained).isEmpty();
    }
}
