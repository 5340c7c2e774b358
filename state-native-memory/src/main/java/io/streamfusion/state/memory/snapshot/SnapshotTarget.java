package io.streamfusion.state.memory.snapshot;

import java.util.Map;
import org.apache.flink.runtime.state.CheckpointedStateScope;

/**
 * Where a snapshot is written to and what it may reuse.
 *
 * @param checkpointId the checkpoint
 * @param scope where files with rows go
 * @param base files of the checkpoint it builds on, by number; empty without one
 * @param reused those it may refer to; the rest of {@code base} has to be stored again
 * @param files writes files to checkpoint storage
 * @param local the copy on the local disk
 */
public record SnapshotTarget(
        long checkpointId,
        CheckpointedStateScope scope,
        Map<Long, StateFile> base,
        Map<Long, StateFile> reused,
        SnapshotFiles files,
        LocalSnapshot local) {

    /**
     * A file of the base.
     *
     * @throws IllegalStateException when there is none of that number: the native side and the
     *     history of checkpoints disagree
     */
    public StateFile earlier(long number) {
        StateFile file = base.get(number);
        if (file == null) {
            throw new IllegalStateException(
                    "Checkpoint "
                            + checkpointId
                            + " builds on file "
                            + number
                            + ", which is not in its base.");
        }
        return file;
    }
}
