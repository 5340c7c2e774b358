package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeStore;
import java.io.Closeable;
import java.io.IOException;
import org.apache.flink.runtime.state.CheckpointStreamFactory;

/**
 * The durable form of one keyed backend's state: which files its snapshots consist of and how they
 * are written. What is common to all forms (what may be reused, local copies, the manifest, the
 * handle) is not its business. All methods are called on the task thread.
 */
public interface DurableForm {
    /** The state backend of this form, as SQL operators are told it: lower case. */
    String backendType();

    /**
     * Configures an empty store for snapshots of this form.
     *
     * @return closed when the store has been freed
     */
    Closeable prepare(NativeStore store) throws IOException;

    /** What can be taken to this storage in place of {@code wanted}; usually the same. */
    SnapshotKind possible(SnapshotKind wanted, CheckpointStreamFactory storage);

    /** Whether a new checkpoint in this storage may refer to a file of an earlier one. */
    boolean canReuse(StateFile file, CheckpointStreamFactory storage);

    /**
     * Prepares a snapshot of what is registered now.
     *
     * @param kind one that is {@link #possible}
     */
    FormSnapshot begin(
            SnapshotKind kind, SnapshotContext<?> context, CheckpointStreamFactory storage);
}
