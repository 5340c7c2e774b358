package io.streamfusion.state.memory.model;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.model.ModelStorage.Written;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;

/**
 * Plays steps on our backend and on the stock one at the same time and compares what they return.
 *
 * @param <K> type of the keys
 */
final class History<K> implements AutoCloseable {
    private static final int KEY_SWITCHES = 1100;
    private static final int MAX_CLOCK_STEP = 80;
    private static final int MAX_STOCK_BYTES = 64 << 20;
    private static final int CHECKPOINTS_THAT_FLUSH = 3;

    /** A checkpoint that can be restored later; of one owner all or none are still whole. */
    private record Kept(Snapshot snapshot, Object owner) {}

    private final Job<K> job;
    private final ExecutorService writer;
    private final ModelStorage files;
    private final Comparison<K> comparison;
    private final List<Kept> kept = new ArrayList<>();
    private final Set<Snapshot> issued = new HashSet<>();
    private Coordinator coordinator = new Coordinator();

    private History(KeySpace<K> keys, Step setup, Surroundings surroundings) throws Exception {
        writer = surroundings.writer();
        files = surroundings.backend().storage();
        job = new Job<>(keys, setup, surroundings);
        comparison = new Comparison<>(job);
        job.start(setup.d(), Optional.empty());
    }

    /**
     * Plays a history to its end.
     *
     * @throws Exception when the backends differ or one of them fails
     */
    static void play(List<Step> steps, Surroundings surroundings) throws Exception {
        Step setup =
                !steps.isEmpty() && steps.get(0).kind() == StepKind.SETUP
                        ? steps.get(0)
                        : new Step(StepKind.SETUP, 0, 1, 0, 0);
        long objects = StreamFusionAbi.sf_live_handles();
        long bytes = StreamFusionAbi.sf_charged_bytes();
        try (History<?> history = new History<>(KeySpace.of(setup.a()), setup, surroundings)) {
            for (int i = 0; i < steps.size(); i++) {
                try {
                    history.play(steps.get(i));
                } catch (Exception | Error e) {
                    throw new IllegalStateException(
                            "Step " + i + ", " + steps.get(i) + ": " + e.getMessage(), e);
                }
            }
            history.end();
        }
        long objectsLeft = StreamFusionAbi.sf_live_handles() - objects;
        long bytesLeft = StreamFusionAbi.sf_charged_bytes() - bytes;
        if (objectsLeft != 0 || bytesLeft != 0) {
            throw new IllegalStateException(
                    "Left " + objectsLeft + " native objects, " + bytesLeft + " charged bytes");
        }
    }

    private void play(Step step) throws Exception {
        switch (step.kind()) {
            case SETUP -> {}
            case TIMER_ADD, TIMER_REMOVE -> {
                K key = job.keys().key(step.a());
                Job.Pair<K> pair = job.of(key);
                comparison.touch(step);
                comparison.same(pair, states -> Scans.timer(states, key, step));
            }
            case TIMER_FIRE -> {
                comparison.touch(step);
                comparison.same(states -> Scans.fire(states, step));
            }
            case TIMER_LOOK -> {
                comparison.touch(step);
                comparison.same(states -> Scans.look(states, step.c()));
            }
            case APPLY_TO_ALL_KEYS -> {
                comparison.touch(step);
                comparison.same(states -> Scans.applyToAllKeys(states, step));
            }
            case LIST_KEYS -> comparison.same(states -> Scans.keys(states, step));
            case CLOCK -> job.clock().time += step.b() % MAX_CLOCK_STEP;
            case KEY_SWITCHES -> switchKeys();
            case TRIGGER ->
                    trigger(
                            step.b() % 5 == 0
                                    ? CheckpointType.FULL_CHECKPOINT
                                    : CheckpointType.CHECKPOINT);
            case WRITE -> inFlight(step).ifPresent(s -> s.write(step.b() % 2 == 0, writer));
            case CONFIRM -> {
                Optional<Snapshot> chosen = inFlight(step);
                if (chosen.isPresent()) {
                    complete(chosen.get(), step.b() % 4 != 0);
                }
            }
            case ABORT -> {
                Optional<Snapshot> chosen = inFlight(step);
                if (chosen.isPresent()) {
                    abort(chosen.get(), step.b() % 4 != 0);
                }
            }
            case SAVEPOINT -> savepoint(step.b() % 2 == 0);
            case FAILOVER -> failOver(step);
            case RESTART -> restart(step);
            case COMPARE -> comparison.all();
            default -> {
                K key = job.keys().key(step.a());
                Job.Pair<K> pair = job.of(key);
                comparison.touch(step);
                comparison.same(pair, states -> Accesses.access(states, key, step));
            }
        }
    }

    private void switchKeys() {
        for (Job.Pair<K> pair : job.running()) {
            List<K> keys = job.keys().keys().stream().filter(pair.ours()::owns).toList();
            for (int i = 0; i < KEY_SWITCHES && !keys.isEmpty(); i++) {
                pair.ours().backend().setCurrentKey(keys.get(i % keys.size()));
            }
        }
    }

    // ---- checkpoints

    private Optional<Snapshot> inFlight(Step step) {
        List<Snapshot> inFlight = coordinator.inFlight();
        return inFlight.isEmpty()
                ? Optional.empty()
                : Optional.of(inFlight.get(step.a() % inFlight.size()));
    }

    private Snapshot trigger(SnapshotType type) throws Exception {
        Snapshot snapshot = begin(type, false);
        coordinator.inFlight().add(snapshot);
        return snapshot;
    }

    private Snapshot begin(SnapshotType type, boolean canonical) throws Exception {
        Snapshot snapshot = coordinator.next(type);
        issued.add(snapshot);
        for (Job.Pair<K> pair : job.running()) {
            snapshot.add(
                    pair.ours()
                            .snapshot(
                                    snapshot.id(),
                                    snapshot.type(),
                                    canonical,
                                    files.factory(snapshot)),
                    pair.stock()
                            .stockSnapshot(
                                    snapshot.id(),
                                    new MemCheckpointStreamFactory(MAX_STOCK_BYTES)));
        }
        return snapshot;
    }

    private void complete(Snapshot snapshot, boolean tasksHear) throws Exception {
        snapshot.finish();
        coordinator.acknowledge(snapshot, snapshot.handles());
        if (snapshot.type() == CheckpointType.FULL_CHECKPOINT) {
            requireSelfContained(snapshot);
        }
        coordinator.complete(snapshot);
        for (Snapshot older : List.copyOf(coordinator.inFlight())) {
            if (older.id() < snapshot.id()) {
                abort(older, tasksHear);
            }
        }
        if (tasksHear) {
            for (Job.Pair<K> pair : job.running()) {
                pair.ours().backend().notifyCheckpointComplete(snapshot.id());
            }
        }
    }

    private void abort(Snapshot snapshot, boolean tasksHear) throws Exception {
        coordinator.inFlight().remove(snapshot);
        if (!tasksHear) {
            // The tasks go on writing and report what nobody wants any more.
            snapshot.finish();
            coordinator.acknowledge(snapshot, snapshot.handles());
            discard(snapshot.handles());
            return;
        }
        snapshot.cancel();
        for (Job.Pair<K> pair : job.running()) {
            pair.ours().backend().notifyCheckpointAborted(snapshot.id());
        }
    }

    private void savepoint(boolean canonical) throws Exception {
        SnapshotType type =
                SavepointType.savepoint(
                        canonical ? SavepointFormatType.CANONICAL : SavepointFormatType.NATIVE);
        Snapshot savepoint = begin(type, canonical);
        savepoint.finish();
        requireSelfContained(savepoint);
        kept.add(new Kept(savepoint, savepoint));
    }

    private void requireSelfContained(Snapshot snapshot) {
        for (StreamStateHandle file : snapshot.files()) {
            if (files.find(file).map(Written::writer).orElse(null) != snapshot) {
                throw new IllegalStateException(snapshot + " uses a file of another: " + file);
            }
        }
    }

    private static void discard(List<KeyedStateHandle> handles) throws Exception {
        for (KeyedStateHandle handle : handles) {
            handle.discardState();
        }
    }

    // ---- restores

    private void failOver(Step step) throws Exception {
        stop(step.b() % 2 == 0);
        job.start(step.a(), coordinator.failOver());
        if (step.c() % 4 != 0) {
            comparison.all();
        }
    }

    /** The tasks end while snapshots run. */
    private void stop(boolean lateAcknowledgement) throws Exception {
        coordinator.inFlight().forEach(Snapshot::tasksEnd);
        job.stop();
        for (Snapshot snapshot : coordinator.inFlight()) {
            List<KeyedStateHandle> late = snapshot.late();
            if (lateAcknowledgement) {
                coordinator.acknowledge(snapshot, late);
            }
            discard(late);
        }
        coordinator.inFlight().clear();
    }

    private void restart(Step step) throws Exception {
        List<Kept> choice = new ArrayList<>(kept);
        for (Snapshot retained : coordinator.owned()) {
            choice.add(new Kept(retained, coordinator));
        }
        if (choice.isEmpty()) {
            return;
        }
        stop(false);
        Kept chosen = choice.get(step.a() % choice.size());
        boolean claim = step.b() % 2 == 0;
        kept.clear();
        for (Kept other : choice) {
            // A job that owns a checkpoint deletes files that its siblings share.
            if (!claim || other.owner() != chosen.owner()) {
                kept.add(other);
            }
        }
        coordinator = new Coordinator();
        issued.clear();
        coordinator.restore(chosen.snapshot(), claim);
        job.start(step.c(), Optional.of(chosen.snapshot()));
        if (step.d() % 4 != 0) {
            comparison.all();
        }
    }

    // ---- the end

    private void end() throws Exception {
        comparison.all();
        for (Snapshot snapshot : List.copyOf(coordinator.inFlight())) {
            abort(snapshot, true);
        }
        for (int i = 0; i < CHECKPOINTS_THAT_FLUSH; i++) {
            complete(trigger(CheckpointType.CHECKPOINT), true);
        }
        comparison.all();
        requireOnlyNeededFiles();
        List<Snapshot> restorable = new ArrayList<>(coordinator.retained());
        kept.forEach(other -> restorable.add(other.snapshot()));
        for (int i = 0; i < restorable.size(); i++) {
            job.stop();
            job.start(i, Optional.of(restorable.get(i)));
            comparison.all();
        }
        job.stop();
        if (files.openStreams() != 0) {
            throw new IllegalStateException(files.openStreams() + " streams were not closed");
        }
    }

    /** What this job has written is there exactly when a checkpoint needs it. */
    private void requireOnlyNeededFiles() throws Exception {
        Set<Written> needed = new HashSet<>();
        List<Snapshot> whole = new ArrayList<>(coordinator.retained());
        kept.forEach(other -> whole.add(other.snapshot()));
        for (Snapshot snapshot : whole) {
            for (StreamStateHandle file : snapshot.files()) {
                needed.add(
                        files.find(file)
                                .orElseThrow(
                                        () ->
                                                new IllegalStateException(
                                                        "A file of a kept checkpoint was deleted: "
                                                                + file)));
            }
        }
        List<String> left = new ArrayList<>();
        for (Written file : files.present()) {
            if (file.writer() instanceof Snapshot writing
                    && issued.contains(writing)
                    && !writing.torn()
                    && !needed.contains(file)) {
                left.add(file + " of " + file.writer());
            }
        }
        if (!left.isEmpty()) {
            throw new IllegalStateException("Files that no checkpoint needs: " + left);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            for (Snapshot snapshot : coordinator.inFlight()) {
                snapshot.cancel();
            }
        } catch (Exception e) {
            throw new IOException("A snapshot in flight could not be given up.", e);
        } finally {
            try (files) {
                job.close();
            }
        }
    }
}
