package io.streamfusion.state.memory.snapshot;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The restored checkpoint on which the next incremental checkpoint may build.
 *
 * @param backendId identity of the backend that began the chain
 * @param checkpointId the restored checkpoint
 * @param files its files with rows, oldest first, all shared
 * @param localDirectory where copies of some of them may lie on the local disk
 */
public record RestoredBase(
        UUID backendId, long checkpointId, List<StateFile> files, Optional<Path> localDirectory) {
    public RestoredBase {
        files = List.copyOf(files);
    }
}
