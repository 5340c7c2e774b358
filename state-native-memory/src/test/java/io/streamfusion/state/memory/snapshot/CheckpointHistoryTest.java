package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.SimulatedJobManager.StoredFile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointHistoryTest {

    /** What the native side does with what it is told. */
    private static final class Store implements CheckpointHistory.NativeCalls {
        private final Map<Long, List<StateFile>> chains = new HashMap<>();
        private List<StateFile> base = List.of();

        @Override
        public void complete(long checkpointId) {
            base = chains.remove(checkpointId);
        }

        @Override
        public void abort(long checkpointId) {
            chains.remove(checkpointId);
        }
    }

    /** One checkpoint on its way. */
    private static final class Attempt {
        private final long id;
        private final CheckpointHistory.Plan plan;
        private final List<StateFile> baseOfStore;
        private List<StateFile> segments = List.of();
        private boolean acknowledged;

        private Attempt(long id, CheckpointHistory.Plan plan, List<StateFile> baseOfStore) {
            this.id = id;
            this.plan = plan;
            this.baseOfStore = baseOfStore;
        }
    }

    private final Store store = new Store();
    private final SimulatedJobManager jobManager = new SimulatedJobManager();
    private CheckpointHistory history = new CheckpointHistory(Optional.empty());
    private long nextSegment = 1;

    private Attempt begin(long id) {
        history.settle(store);
        CheckpointHistory.Plan plan = history.plan(file -> true);
        Attempt attempt = new Attempt(id, plan, plan.reusable() ? store.base : List.of());
        history.begun(id, plan);
        return attempt;
    }

    /** The chain of the base without its first {@code dropped} segments, and a new one. */
    private void upload(Attempt attempt, int dropped) {
        List<StateFile> segments = new ArrayList<>();
        for (StateFile segment : attempt.baseOfStore) {
            segments.add(attempt.plan.base().get(segment.number()));
        }
        segments.subList(0, Math.min(dropped, segments.size())).clear();
        long number = nextSegment++;
        segments.add(
                new StateFile(
                        number,
                        SegmentFile.nameOf(number),
                        1,
                        new StoredFile("segment-" + number)));
        attempt.segments = segments;
        store.chains.put(attempt.id, segments);
        history.uploaded(attempt.id, segments);
        jobManager.acknowledge(attempt.id, attempt.plan.filesOf(segments));
        attempt.acknowledged = true;
    }

    private void completeEverywhere(Attempt attempt) {
        jobManager.complete(attempt.id);
        jobManager.assertRetainedIsComplete(attempt.segments);
        history.completed(attempt.id, store);
    }

    @Test
    void nothingIsReusedBeforeACheckpointCompletes() {
        Attempt first = begin(1);
        upload(first, 0);
        Attempt second = begin(2);
        assertThat(second.plan.base()).isEmpty();
        assertThat(second.plan.reusable()).isTrue();
    }

    @Test
    void buildsOnTheCompletedCheckpoint() {
        Attempt first = begin(1);
        upload(first, 0);
        completeEverywhere(first);
        Attempt second = begin(2);
        assertThat(second.plan.base().keySet()).containsExactly(1L);
        upload(second, 0);
        assertThat(second.plan.filesOf(second.segments)).hasSize(2);
    }

    @Test
    void anAbortedCheckpointIsNeverABase() {
        Attempt first = begin(1);
        upload(first, 0);
        completeEverywhere(first);
        Attempt second = begin(2);
        upload(second, 0);
        jobManager.abort(2);
        history.aborted(2, store);
        assertThat(begin(3).plan.base().keySet()).containsExactly(1L);
        assertThat(store.chains).doesNotContainKey(2L);
    }

    /**
     * The job manager completes 2 and deletes the files of 1 while 3, begun after 1, is written.
     */
    @Test
    void aCompletedCheckpointIsNoBaseWhileAnotherThatDoesNotNeedItIsInFlight() {
        Attempt first = begin(1);
        Attempt second = begin(2);
        upload(first, 0);
        upload(second, 0);
        completeEverywhere(first);
        Attempt third = begin(3);
        assertThat(third.plan.base()).isEmpty();
        jobManager.complete(2);
        upload(third, 0);
        history.completed(2, store);
        completeEverywhere(third);
    }

    /** Overlapping checkpoints stay incremental: they go on from the base they have in common. */
    @Test
    void overlappingCheckpointsShareTheirBase() {
        Attempt first = begin(1);
        upload(first, 0);
        completeEverywhere(first);
        Attempt second = begin(2);
        Attempt third = begin(3);
        upload(second, 0);
        completeEverywhere(second);
        Attempt fourth = begin(4);
        assertThat(fourth.plan.reusable()).isTrue();
        assertThat(fourth.plan.base().keySet()).containsExactly(1L);
        upload(third, 0);
        completeEverywhere(third);
        upload(fourth, 0);
        completeEverywhere(fourth);
        assertThat(begin(5).plan.base()).containsKey(fourth.segments.getLast().number());
    }

    @Test
    void theBaseAdvancesWhenTheCheckpointInTheWayIsAborted() {
        Attempt first = begin(1);
        Attempt second = begin(2);
        upload(first, 0);
        upload(second, 0);
        completeEverywhere(first);
        jobManager.abort(2);
        history.aborted(2, store);
        assertThat(begin(3).plan.base().keySet()).containsExactly(1L);
    }

    @Test
    void theBaseAdvancesWhenTheCheckpointInTheWayFails() {
        Attempt first = begin(1);
        begin(2);
        upload(first, 0);
        completeEverywhere(first);
        history.failed(2);
        assertThat(begin(3).plan.base().keySet()).containsExactly(1L);
    }

    /** A merged away segment stays referred to while a checkpoint beside may still need it. */
    @Test
    void dropsOfOneCheckpointDoNotDeleteFilesOfAnother() {
        Attempt first = begin(1);
        upload(first, 0);
        completeEverywhere(first);
        Attempt dropping = begin(2);
        Attempt keeping = begin(3);
        upload(dropping, 1);
        completeEverywhere(dropping);
        upload(keeping, 0);
        completeEverywhere(keeping);
    }

    @Test
    void aFileThatCannotBeReusedMakesTheNextCheckpointBesideItFull() {
        Attempt first = begin(1);
        upload(first, 0);
        completeEverywhere(first);
        CheckpointHistory.Plan second = history.plan(file -> false);
        assertThat(second.reusable()).isTrue();
        assertThat(second.base()).hasSize(1);
        assertThat(second.reused()).isEmpty();
        history.begun(2, second);
        assertThat(history.plan(file -> true).reusable()).isFalse();
    }

    @Test
    void savepointsAndUnknownCheckpointsAreIgnored() {
        Attempt first = begin(1);
        upload(first, 0);
        completeEverywhere(first);
        history.completed(77, store);
        history.completed(1, store);
        history.aborted(78, store);
        assertThat(begin(2).plan.base().keySet()).containsExactly(1L);
    }

    @Test
    void goesOnFromARestoredCheckpoint() {
        StateFile restored = new StateFile(5, SegmentFile.nameOf(5), 1, new StoredFile("restored"));
        history =
                new CheckpointHistory(
                        Optional.of(
                                new RestoredBase(
                                        new UUID(1, 2), 40, List.of(restored), Optional.empty())));
        assertThat(history.plan(file -> true).base().keySet()).containsExactly(5L);
        assertThat(history.liveFiles()).containsExactly(5L);
    }

    /**
     * Plays random interleavings of one task and a job manager with Flink's registry: up to three
     * checkpoints in flight, notifications late, checkpoints failing, aborted and overtaken.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noInterleavingLosesAFile(long seed) {
        for (int round = 0; round < 200; round++) {
            new CheckpointHistoryTest().play(new Random(seed * 1000 + round));
        }
    }

    private void play(Random random) {
        NavigableMap<Long, Attempt> running = new TreeMap<>();
        Deque<Runnable> notifications = new ArrayDeque<>();
        long nextId = 1;
        for (int step = 0; step < 120; step++) {
            int choice = random.nextInt(10);
            if (choice < 3 && running.size() < 3) {
                running.put(nextId, begin(nextId));
                nextId++;
            } else if (choice < 6 && !running.isEmpty()) {
                Attempt attempt = pick(running, random);
                if (!attempt.acknowledged) {
                    upload(attempt, random.nextInt(4) == 0 ? random.nextInt(4) : 0);
                }
            } else if (choice < 8 && !running.isEmpty()) {
                Attempt attempt = pick(running, random);
                if (attempt.acknowledged) {
                    jobManager.complete(attempt.id);
                    jobManager.assertRetainedIsComplete(attempt.segments);
                    for (long older : List.copyOf(running.headMap(attempt.id).keySet())) {
                        running.remove(older);
                        jobManager.abort(older);
                        notifications.add(() -> history.aborted(older, store));
                    }
                    running.remove(attempt.id);
                    notifications.add(() -> history.completed(attempt.id, store));
                }
            } else if (choice == 8 && !running.isEmpty()) {
                Attempt attempt = pick(running, random);
                running.remove(attempt.id);
                if (attempt.acknowledged) {
                    jobManager.abort(attempt.id);
                    notifications.add(() -> history.aborted(attempt.id, store));
                } else {
                    history.failed(attempt.id);
                }
            } else if (!notifications.isEmpty()) {
                notifications.poll().run();
            }
        }
    }

    private static Attempt pick(NavigableMap<Long, Attempt> running, Random random) {
        List<Attempt> attempts = List.copyOf(running.values());
        return attempts.get(random.nextInt(attempts.size()));
    }
}
