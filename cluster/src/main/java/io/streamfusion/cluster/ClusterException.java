package io.streamfusion.cluster;

/** A process ended by itself, or something that was waited for did not come about. */
public final class ClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message names the process or what was waited for
     */
    public ClusterException(String message) {
        super(message);
    }

    /** As the other, with what made the wait end. */
    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
