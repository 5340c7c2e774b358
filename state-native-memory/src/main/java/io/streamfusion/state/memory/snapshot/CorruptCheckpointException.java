package io.streamfusion.state.memory.snapshot;

import java.io.IOException;

/** A file of a checkpoint is damaged, truncated, or not the file the checkpoint wrote. */
public final class CorruptCheckpointException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param file the damaged file, as a person would look for it
     * @param offset byte position of the damaged structure in the file
     * @param problem what is wrong there
     */
    public CorruptCheckpointException(String file, long offset, String problem) {
        super("Checkpoint file " + file + " is damaged at offset " + offset + ": " + problem);
    }

    /** A block of a manifest ends before its content does, though its checksum is right. */
    public static CorruptCheckpointException shortBlock(String file) {
        return new CorruptCheckpointException(
                file, ManifestFormat.HEADER_BYTES, "a block is shorter than its content");
    }
}
