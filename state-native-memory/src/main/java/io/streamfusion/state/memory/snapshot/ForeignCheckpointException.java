package io.streamfusion.state.memory.snapshot;

import java.io.IOException;

/** A checkpoint that another state backend wrote in its own format. */
public final class ForeignCheckpointException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param file the file or handle that was offered
     * @param reason how it was recognised
     */
    public ForeignCheckpointException(String file, String reason) {
        super(
                "Cannot restore "
                        + file
                        + ": it was written by another state backend ("
                        + reason
                        + "). State backends share only savepoints in canonical format: take one"
                        + " with the backend that wrote this state (flink savepoint --type"
                        + " canonical) and restore from it.");
    }
}
