package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeSnapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.DirectoryStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategy.SnapshotResultSupplier;
import org.apache.flink.runtime.state.StateUtil;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * The part of a snapshot beside the task thread: writes the files with rows, then the manifest, and
 * builds the handle. Whatever it wrote is discarded when it fails.
 */
final class SnapshotOperation implements SnapshotResultSupplier<KeyedStateHandle> {

    /**
     * What the task thread decided and copied.
     *
     * @param checkpointId the checkpoint
     * @param plan what may be reused
     * @param canBecomeBase whether later checkpoints may build on this one; if so the handle lists
     *     files with rows as shared, else as private
     * @param scope where files with rows go
     * @param localCopy whether to keep a copy on the local disk
     * @param metadata key serializer and states
     * @param states the states within the files, in the order of {@code metadata}
     */
    record Request(
            long checkpointId,
            CheckpointHistory.Plan plan,
            boolean canBecomeBase,
            CheckpointedStateScope scope,
            boolean localCopy,
            KeyedBackendSerializationProxy<?> metadata,
            List<CheckpointManifest.State> states) {}

    private final Request request;
    private final SnapshotContext<?> context;
    private final UUID backendId;
    private final FormSnapshot form;
    private final SnapshotLease lease;
    private final CheckpointStreamFactory storage;
    private final CheckpointHistory history;
    private final LocalSegmentFiles localFiles;
    private final SnapshotMetrics metrics;
    private volatile boolean succeeded;
    private volatile Runnable discard = () -> {};

    SnapshotOperation(
            Request request,
            SnapshotContext<?> context,
            UUID backendId,
            FormSnapshot form,
            SnapshotLease lease,
            CheckpointStreamFactory storage,
            CheckpointHistory history,
            LocalSegmentFiles localFiles,
            SnapshotMetrics metrics) {
        this.request = request;
        this.context = context;
        this.backendId = backendId;
        this.form = form;
        this.lease = lease;
        this.storage = storage;
        this.history = history;
        this.localFiles = localFiles;
        this.metrics = metrics;
    }

    /** Whether the snapshot was written completely. */
    boolean succeeded() {
        return succeeded;
    }

    /** Deletes the result, if there is one: nobody got it. */
    void discardResult() {
        if (succeeded) {
            discard.run();
        }
    }

    @Override
    public SnapshotResult<KeyedStateHandle> get(CloseableRegistry cancellation) throws Exception {
        long start = System.nanoTime();
        NativeSnapshot snapshot = lease.begin();
        SnapshotFiles files = new SnapshotFiles(storage, cancellation);
        LocalSnapshot local = beginLocalCopy();
        discard =
                () -> {
                    files.discardAll();
                    local.discard();
                };
        try {
            FormSnapshot.Result written = form.write(snapshot, target(files, local));
            SnapshotResult<StreamStateHandle> manifest =
                    files.writeExclusive(
                            ManifestWriter.write(manifest(written.contents())),
                            request.checkpointId(),
                            local.isActive()
                                    ? context.localRecovery().getLocalStateDirectoryProvider()
                                    : Optional.empty());
            SnapshotResult<KeyedStateHandle> result =
                    result(written, manifest, files.bytesWritten(), local);
            // Tells file merging that the files live on; the job manager learns it from the handle.
            storage.reusePreviousStateHandle(
                    request.plan().reused().values().stream().map(StateFile::handle).toList());
            if (request.canBecomeBase()) {
                history.uploaded(request.checkpointId(), written.files());
            }
            succeeded = true;
            metrics.written(
                    System.nanoTime() - start,
                    files.bytesWritten(),
                    result.getStateSize(),
                    written.files().size());
            return result;
        } finally {
            if (!succeeded) {
                discard.run();
                metrics.failed();
            }
        }
    }

    private LocalSnapshot beginLocalCopy() {
        return request.localCopy()
                ? LocalSnapshot.begin(
                        context.localRecovery(), localFiles, request.checkpointId(), backendId)
                : LocalSnapshot.none(localFiles);
    }

    private SnapshotTarget target(SnapshotFiles files, LocalSnapshot local) {
        return new SnapshotTarget(
                request.checkpointId(),
                request.scope(),
                request.plan().base(),
                request.plan().reused(),
                files,
                local);
    }

    private CheckpointManifest manifest(CheckpointManifest.Contents contents) throws IOException {
        DataOutputSerializer metadata = new DataOutputSerializer(1024);
        request.metadata().write(metadata);
        return new CheckpointManifest(
                backendId,
                request.checkpointId(),
                context.numberOfKeyGroups(),
                context.keyGroupRange().getStartKeyGroup(),
                context.keyGroupRange().getEndKeyGroup(),
                ByteBuffer.wrap(metadata.getCopyOfBuffer()),
                request.states(),
                contents);
    }

    private SnapshotResult<KeyedStateHandle> result(
            FormSnapshot.Result written,
            SnapshotResult<StreamStateHandle> manifest,
            long bytesWritten,
            LocalSnapshot local) {
        List<HandleAndLocalPath> files = request.plan().filesOf(written.files());
        List<HandleAndLocalPath> shared = request.canBecomeBase() ? files : List.of();
        List<HandleAndLocalPath> own = new ArrayList<>(request.canBecomeBase() ? List.of() : files);
        own.addAll(written.own());
        // Flink discards the private state of a handle in this order, whatever it does beside.
        own.addAll(written.folders());
        KeyedStateHandle remote =
                new IncrementalRemoteKeyedStateHandle(
                        backendId,
                        context.keyGroupRange(),
                        request.checkpointId(),
                        shared,
                        own,
                        manifest.getJobManagerOwnedSnapshot(),
                        bytesWritten);
        StreamStateHandle localManifest = manifest.getTaskLocalSnapshot();
        Optional<DirectoryStateHandle> directory =
                localManifest == null ? Optional.empty() : local.complete();
        if (directory.isEmpty()) {
            StateUtil.discardStateObjectQuietly(localManifest);
            local.discard();
            return SnapshotResult.of(remote);
        }
        return SnapshotResult.withLocalState(
                remote,
                new IncrementalLocalKeyedStateHandle(
                        backendId,
                        request.checkpointId(),
                        directory.get(),
                        context.keyGroupRange(),
                        localManifest,
                        // The real handles: what has no local copy is read from them.
                        Stream.concat(
                                        written.files().stream()
                                                .map(
                                                        f ->
                                                                HandleAndLocalPath.of(
                                                                        f.handle(), f.name())),
                                        written.own().stream())
                                .toList()));
    }
}
