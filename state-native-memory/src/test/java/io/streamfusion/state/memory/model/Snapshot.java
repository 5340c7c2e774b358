package io.streamfusion.state.memory.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StateUtil;
import org.apache.flink.runtime.state.StreamStateHandle;

/** A checkpoint or savepoint of a whole job, of both backends; in flight, complete or given up. */
final class Snapshot {
    private final long id;
    private final SnapshotType type;
    private final List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> parts = new ArrayList<>();
    private final List<KeyedStateHandle> expected = new ArrayList<>();
    private final List<KeyedStateHandle> handles = new ArrayList<>();
    private Future<?> background;
    private boolean torn;

    Snapshot(long id, SnapshotType type) {
        this.id = id;
        this.type = type;
    }

    long id() {
        return id;
    }

    SnapshotType type() {
        return type;
    }

    /** Adds a subtask: what our backend will write, and what the stock one has written. */
    void add(
            RunnableFuture<SnapshotResult<KeyedStateHandle>> part,
            SnapshotResult<KeyedStateHandle> stock) {
        parts.add(part);
        if (stock.getJobManagerOwnedSnapshot() != null) {
            expected.add(stock.getJobManagerOwnedSnapshot());
        }
    }

    /** What our backend wrote. */
    List<KeyedStateHandle> handles() {
        return handles;
    }

    /** What the stock backend wrote. */
    List<KeyedStateHandle> expected() {
        return expected;
    }

    /** Writes now, or lets the other thread write. */
    void write(boolean inBackground, ExecutorService writer) {
        if (background != null) {
            return;
        }
        if (inBackground) {
            background = writer.submit(() -> parts.forEach(Runnable::run));
        } else {
            parts.forEach(Runnable::run);
        }
    }

    /** Writes what is not written yet, and collects the handles. */
    void finish() throws Exception {
        if (background != null) {
            background.get();
        }
        for (RunnableFuture<SnapshotResult<KeyedStateHandle>> part : parts) {
            part.run();
            KeyedStateHandle handle = part.get().getJobManagerOwnedSnapshot();
            if (handle != null) {
                handles.add(handle);
            }
        }
    }

    /**
     * Whether it was cancelled in the middle of writing. Flink can lose what was written by then:
     * its future may be cancelled between the end of the writing and the setting of the result.
     */
    boolean torn() {
        return torn;
    }

    /** The tasks are about to end. */
    void tasksEnd() {
        torn |= background != null && !background.isDone();
    }

    /** Gives up what is not written, and deletes what is. */
    void cancel() throws Exception {
        tasksEnd();
        for (RunnableFuture<SnapshotResult<KeyedStateHandle>> part : parts) {
            StateUtil.discardStateFuture(part);
        }
        if (background != null) {
            background.get();
        }
    }

    /** The task has failed under a running snapshot: what was written all the same. */
    List<KeyedStateHandle> late() throws InterruptedException, ExecutionException {
        if (background != null) {
            background.get();
        }
        List<KeyedStateHandle> late = new ArrayList<>();
        for (RunnableFuture<SnapshotResult<KeyedStateHandle>> part : parts) {
            if (!part.isDone()) {
                part.cancel(true);
            } else if (part.state() == Future.State.SUCCESS
                    && part.resultNow().getJobManagerOwnedSnapshot() != null) {
                late.add(part.resultNow().getJobManagerOwnedSnapshot());
            }
        }
        return late;
    }

    /** All files of our backend's handles, by identity. */
    Set<StreamStateHandle> files() {
        Set<StreamStateHandle> files = Collections.newSetFromMap(new IdentityHashMap<>());
        handles.stream().flatMap(Snapshot::filesOf).forEach(files::add);
        return files;
    }

    private static Stream<StreamStateHandle> filesOf(StateObject handle) {
        if (handle instanceof IncrementalRemoteKeyedStateHandle incremental) {
            return Stream.concat(
                    Stream.of(incremental.getMetaDataStateHandle()),
                    Stream.of(incremental.getSharedState(), incremental.getPrivateState())
                            .flatMap(List::stream)
                            .filter(file -> !isFolder(file))
                            .map(HandleAndLocalPath::getHandle));
        }
        return Stream.of(((KeyGroupsStateHandle) handle).getDelegateStateHandle());
    }

    private static boolean isFolder(HandleAndLocalPath file) {
        return file.getLocalPath().endsWith("/");
    }

    @Override
    public String toString() {
        return type.getName() + " " + id;
    }
}
