package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeSnapshot;
import java.util.List;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;

/** One snapshot of a durable form. */
public interface FormSnapshot {

    /**
     * What a snapshot consists of.
     *
     * @param files all files with its rows, reused ones too, oldest first
     * @param own files that belong to this snapshot alone
     * @param folders directories that nothing but this snapshot uses, an inner one before the one
     *     around it; they are deleted behind all files, and names of theirs end with a slash
     * @param contents how {@code files} make up the state, for the manifest
     */
    record Result(
            List<StateFile> files,
            List<HandleAndLocalPath> own,
            List<HandleAndLocalPath> folders,
            CheckpointManifest.Contents contents) {
        public Result {
            files = List.copyOf(files);
            own = List.copyOf(own);
            folders = List.copyOf(folders);
        }
    }

    /**
     * Freezes the store; on the task thread, once. The caller owns the result.
     *
     * @param ttlNow time-to-live clock to leave expired rows out by, milliseconds; {@link
     *     Long#MIN_VALUE}: keep all
     */
    NativeSnapshot freeze(long checkpointId, long ttlNow);

    /**
     * Writes the files; beside the task thread, once. What it has written is known to {@link
     * SnapshotTarget#files()}, which discards it when this or a later step fails.
     *
     * @param frozen what {@link #freeze} returned
     */
    Result write(NativeSnapshot frozen, SnapshotTarget target) throws Exception;
}
