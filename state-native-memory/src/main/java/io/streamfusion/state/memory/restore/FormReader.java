package io.streamfusion.state.memory.restore;

import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import java.io.IOException;

/** Reads checkpoints of one durable form. */
public interface FormReader {
    /** The form that it reads. */
    CheckpointManifest.Form form();

    /**
     * Decodes the contents of a manifest and finds the files; reads none of them.
     *
     * @throws IOException when the list is damaged, or a file is missing or has another length than
     *     the list says
     */
    FormSource open(RestoreSource source) throws IOException;
}
