package io.streamfusion.state.memory.snapshot;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManager;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.PlaceholderStreamStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Which checkpoints are in flight and on which one the next may build.
 *
 * <p>The job manager deletes a shared file once every checkpoint that it retains is newer than the
 * last one that referred to the file. A new checkpoint may therefore reuse the files of a completed
 * one only if every checkpoint that may complete in between refers to them too. Two rules follow:
 *
 * <ul>
 *   <li>each checkpoint refers to all reused files of its base, even those it no longer needs
 *       ({@link Plan#reused()}), so that files outlive the checkpoints taken beside it;
 *   <li>the base advances to a completed checkpoint only when no older-based one is in flight.
 * </ul>
 *
 * <p>The store follows the base through {@link NativeCalls}, which touches the store and is used on
 * the task thread only. Everything else may be called from any thread.
 */
final class CheckpointHistory {
    /** What the store has to be told; called on the task thread. */
    interface NativeCalls {
        /** The checkpoint is the base from now on. */
        void complete(long checkpointId);

        /** The checkpoint will never be a base. */
        void abort(long checkpointId);
    }

    /**
     * What a new checkpoint may use.
     *
     * @param reusable whether the base's files are sure to live until the checkpoint completes; if
     *     not, it has to write everything anew
     * @param base files of the base by number; empty without a base
     * @param reused those to refer to; the rest of {@code base} has to be stored again
     */
    record Plan(boolean reusable, Map<Long, StateFile> base, Map<Long, StateFile> reused) {

        /**
         * The files that the handle of the checkpoint lists. Reused ones are placeholders, which
         * the job manager replaces by what it has registered.
         *
         * @param needed the files that the checkpoint consists of
         */
        List<HandleAndLocalPath> filesOf(List<StateFile> needed) {
            // Mutable, like the lists of Flink's own backends.
            List<HandleAndLocalPath> files = new ArrayList<>();
            for (StateFile file : reused.values()) {
                files.add(HandleAndLocalPath.of(placeholder(file.handle()), file.name()));
            }
            for (StateFile file : needed) {
                if (!reused.containsKey(file.number())) {
                    files.add(HandleAndLocalPath.of(file.handle(), file.name()));
                }
            }
            return files;
        }

        private static StreamStateHandle placeholder(StreamStateHandle handle) {
            return new PlaceholderStreamStateHandle(
                    handle.getStreamStateHandleID(),
                    handle.getStateSize(),
                    FileMergingSnapshotManager.isFileMergingHandle(handle));
        }
    }

    private static final class InFlight {
        private final Set<PhysicalStateHandleID> referred;
        private List<StateFile> files = List.of();
        private boolean uploaded;

        private InFlight(Set<PhysicalStateHandleID> referred) {
            this.referred = referred;
        }
    }

    private record Base(long checkpointId, Map<Long, StateFile> files) {}

    /** In the order in which they were begun. */
    private final LinkedHashMap<Long, InFlight> inFlight = new LinkedHashMap<>();

    private final List<Long> failed = new ArrayList<>();
    private Optional<Base> base;
    private Optional<Base> successor = Optional.empty();

    CheckpointHistory(Optional<RestoredBase> restored) {
        base = restored.map(r -> new Base(r.checkpointId(), byNumber(r.files())));
    }

    /**
     * Plans a checkpoint that would like to build on the base.
     *
     * @param canReuse whether the storage lets a file of an earlier checkpoint be referred to again
     */
    synchronized Plan plan(Predicate<StateFile> canReuse) {
        Map<Long, StateFile> files = base.map(Base::files).orElse(Map.of());
        Map<Long, StateFile> reused = byNumber(files.values().stream().filter(canReuse).toList());
        Set<PhysicalStateHandleID> needed = handlesOf(files);
        boolean safe =
                inFlight.values().stream().allMatch(other -> other.referred.containsAll(needed));
        return safe ? new Plan(true, files, reused) : new Plan(false, Map.of(), Map.of());
    }

    /** A checkpoint that may become a base was begun according to the plan. */
    synchronized void begun(long checkpointId, Plan plan) {
        inFlight.put(checkpointId, new InFlight(handlesOf(plan.reused())));
    }

    /** The files of the checkpoint are stored; {@code files} are those it needs, oldest first. */
    synchronized void uploaded(long checkpointId, List<StateFile> files) {
        InFlight checkpoint = inFlight.get(checkpointId);
        if (checkpoint != null) {
            checkpoint.files = List.copyOf(files);
            checkpoint.uploaded = true;
            files.forEach(s -> checkpoint.referred.add(s.handle().getStreamStateHandleID()));
        }
    }

    /** The checkpoint ended without a result; the store is told at the next occasion. */
    synchronized void failed(long checkpointId) {
        if (inFlight.remove(checkpointId) != null) {
            failed.add(checkpointId);
        }
    }

    /** The job manager completed the checkpoint. Unknown ones (savepoints) are ignored. */
    synchronized void completed(long checkpointId, NativeCalls store) {
        InFlight completed = inFlight.get(checkpointId);
        if (completed == null || !completed.uploaded) {
            return;
        }
        successor.ifPresent(older -> store.abort(older.checkpointId()));
        for (long begunEarlier : List.copyOf(inFlight.keySet())) {
            inFlight.remove(begunEarlier);
            if (begunEarlier == checkpointId) {
                break;
            }
            store.abort(begunEarlier);
        }
        successor = Optional.of(new Base(checkpointId, byNumber(completed.files)));
        settle(store);
    }

    /** The job manager gave the checkpoint up. */
    synchronized void aborted(long checkpointId, NativeCalls store) {
        if (inFlight.remove(checkpointId) != null) {
            store.abort(checkpointId);
        }
        settle(store);
    }

    /** Tells the store what other threads found out and advances the base where that is safe. */
    synchronized void settle(NativeCalls store) {
        failed.forEach(store::abort);
        failed.clear();
        successor
                .filter(this::referredByAllInFlight)
                .ifPresent(
                        next -> {
                            store.complete(next.checkpointId());
                            base = Optional.of(next);
                            successor = Optional.empty();
                        });
    }

    /** Numbers of the files that a coming checkpoint may use. */
    synchronized Set<Long> liveFiles() {
        Set<Long> live = new HashSet<>();
        base.ifPresent(b -> live.addAll(b.files().keySet()));
        successor.ifPresent(b -> live.addAll(b.files().keySet()));
        inFlight.values().forEach(c -> c.files.forEach(s -> live.add(s.number())));
        return live;
    }

    private boolean referredByAllInFlight(Base candidate) {
        Set<PhysicalStateHandleID> needed = handlesOf(candidate.files());
        return inFlight.values().stream().allMatch(other -> other.referred.containsAll(needed));
    }

    private static Set<PhysicalStateHandleID> handlesOf(Map<Long, StateFile> files) {
        return files.values().stream()
                .map(file -> file.handle().getStreamStateHandleID())
                .collect(Collectors.toCollection(HashSet::new));
    }

    private static Map<Long, StateFile> byNumber(List<StateFile> files) {
        Map<Long, StateFile> result = new LinkedHashMap<>();
        files.forEach(file -> result.put(file.number(), file));
        return result;
    }
}
