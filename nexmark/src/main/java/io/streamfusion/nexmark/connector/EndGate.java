package io.streamfusion.nexmark.connector;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps a stream open after its last event: readers that have emitted everything wait until the
 * gate is opened, while the job goes on with its checkpoints. These can be held up, too, so that
 * the last one stays the last one and Flink does not delete it. For embedded Flink: the source
 * finds the gate in its JVM, by the table option {@code 'end-gate'}. Thread-safe.
 */
public final class EndGate implements AutoCloseable {
    private static final Map<String, EndGate> GATES = new ConcurrentHashMap<>();

    private final String id;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private volatile boolean holdsCheckpoints;
    private volatile boolean checkpointHeld;

    private EndGate(String id) {
        this.id = id;
    }

    /** Sets up a gate, not open; throws {@link IllegalStateException} if the id is taken. */
    public static EndGate of(String id) {
        EndGate gate = new EndGate(id);
        if (GATES.putIfAbsent(id, gate) != null) {
            throw new IllegalStateException("there is an end gate " + id + " already");
        }
        return gate;
    }

    static EndGate find(String id) {
        EndGate gate = GATES.get(id);
        if (gate == null) {
            throw new IllegalStateException(
                    "nobody in this JVM has set up the end gate '"
                            + id
                            + "': the option is for embedded Flink");
        }
        return gate;
    }

    /** Completed as soon as the stream may end. */
    CompletableFuture<Void> opened() {
        return opened;
    }

    /** From now on each new checkpoint waits until the gate opens. */
    public void holdCheckpoints() {
        holdsCheckpoints = true;
    }

    /** Whether one waits. If Flink makes one at a time, none can complete before the gate opens. */
    public boolean checkpointIsHeld() {
        return checkpointHeld;
    }

    /** Called when a checkpoint begins, by a thread that may wait. */
    void passCheckpoint() {
        if (holdsCheckpoints) {
            checkpointHeld = true;
            opened.join();
        }
    }

    /** Lets the stream end, and checkpoints go on. */
    public void open() {
        opened.complete(null);
    }

    /** Opens it; nobody finds it any more. */
    @Override
    public void close() {
        GATES.remove(id);
        open();
    }
}
