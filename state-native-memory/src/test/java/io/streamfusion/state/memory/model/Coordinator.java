package io.streamfusion.state.memory.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.checkpoint.StandaloneCompletedCheckpointStore;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.testutils.TestCompletedCheckpointStorageLocation;

/**
 * The job manager's side of the checkpoints of one job: Flink's own store of completed checkpoints
 * with its registry of shared files, and what is in flight.
 */
final class Coordinator {
    private static final int MAX_RETAINED = 2;
    private static final CheckpointProperties OWNED =
            CheckpointProperties.forCheckpoint(CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION);

    private final JobID job = new JobID();
    private final StandaloneCompletedCheckpointStore store =
            new StandaloneCompletedCheckpointStore(MAX_RETAINED);
    private final CheckpointsCleaner cleaner = new CheckpointsCleaner();
    private final Map<Long, Snapshot> completed = new HashMap<>();
    private final List<Snapshot> inFlight = new ArrayList<>();
    private long nextId = 1;

    /** True until a job that does not own what it started from has a checkpoint of its own. */
    private boolean forceFull;

    private long unclaimedId = -1;

    /** A job that starts from this. */
    void restore(Snapshot snapshot, boolean claim) throws Exception {
        CompletedCheckpoint checkpoint =
                checkpoint(
                        snapshot,
                        claim ? OWNED : CheckpointProperties.forUnclaimedSnapshot(),
                        snapshot.type().isSavepoint()
                                ? CheckpointProperties.forSavepoint(
                                        false, ((SavepointType) snapshot.type()).getFormatType())
                                : OWNED);
        checkpoint.registerSharedStatesAfterRestored(
                store.getSharedStateRegistry(),
                claim ? RecoveryClaimMode.CLAIM : RecoveryClaimMode.NO_CLAIM);
        completed.put(snapshot.id(), snapshot);
        store.addCheckpointAndSubsumeOldestOne(checkpoint, cleaner, () -> {});
        nextId = snapshot.id() + 1;
        forceFull = !claim;
        unclaimedId = claim ? -1 : snapshot.id();
    }

    /** A snapshot with the next number, not in flight yet. */
    Snapshot next(SnapshotType type) {
        boolean full = forceFull && !type.isSavepoint();
        return new Snapshot(nextId++, full ? CheckpointType.FULL_CHECKPOINT : type);
    }

    /** Checkpoints that were triggered and neither completed nor given up, oldest first. */
    List<Snapshot> inFlight() {
        return inFlight;
    }

    /** A task acknowledges what it wrote, in time or late. */
    void acknowledge(Snapshot snapshot, List<KeyedStateHandle> handles) {
        handles.forEach(
                handle ->
                        handle.registerSharedStates(store.getSharedStateRegistry(), snapshot.id()));
    }

    /** Completes an acknowledged checkpoint; the retained ones it subsumes are deleted. */
    void complete(Snapshot snapshot) throws Exception {
        inFlight.remove(snapshot);
        completed.put(snapshot.id(), snapshot);
        store.addCheckpointAndSubsumeOldestOne(
                checkpoint(snapshot, OWNED, OWNED), cleaner, () -> {});
        forceFull = false;
    }

    /** The tasks start anew from the latest completed checkpoint. */
    Optional<Snapshot> failOver() throws Exception {
        List<Snapshot> retained = retained();
        Optional<Snapshot> latest =
                retained.isEmpty()
                        ? Optional.empty()
                        : Optional.of(retained.get(retained.size() - 1));
        forceFull = latest.isPresent() && latest.get().id() == unclaimedId;
        return latest;
    }

    /** The completed checkpoints that are kept, oldest first. */
    List<Snapshot> retained() throws Exception {
        return store.getAllCheckpoints().stream()
                .map(checkpoint -> completed.get(checkpoint.getCheckpointID()))
                .toList();
    }

    /** The completed checkpoints that are kept and belong to this job. */
    List<Snapshot> owned() throws Exception {
        return retained().stream().filter(snapshot -> snapshot.id() != unclaimedId).toList();
    }

    private CompletedCheckpoint checkpoint(
            Snapshot snapshot, CheckpointProperties properties, CheckpointProperties restored) {
        int parallelism = Math.max(1, snapshot.handles().size());
        OperatorID id = new OperatorID();
        OperatorState state = new OperatorState("operator", "uid", id, parallelism, parallelism);
        for (int i = 0; i < snapshot.handles().size(); i++) {
            state.putState(
                    i,
                    OperatorSubtaskState.builder()
                            .setManagedKeyedState(snapshot.handles().get(i))
                            .build());
        }
        return new CompletedCheckpoint(
                job,
                snapshot.id(),
                0,
                1,
                Map.of(id, state),
                List.of(),
                properties,
                new TestCompletedCheckpointStorageLocation(),
                null,
                restored);
    }
}
