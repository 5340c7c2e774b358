package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeSnapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
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
 * The part of a snapshot beside the task thread: writes the new segment, then the manifest, and
 * builds the handle. Whatever it wrote is discarded when it fails.
 */
final class SnapshotOperation implements SnapshotResultSupplier<KeyedStateHandle> {

    /**
     * What the task thread decided and copied.
     *
     * @param checkpointId the checkpoint
     * @param plan what may be reused
     * @param canBecomeBase whether later checkpoints may build on this one
     * @param sharedFiles whether the handle lists the segments as shared or as private
     * @param scope where segment files go
     * @param localCopy whether to keep a copy on the local disk
     * @param metadata key serializer and states
     * @param states the states within segment files, in the order of {@code metadata}
     */
    record Request(
            long checkpointId,
            CheckpointHistory.Plan plan,
            boolean canBecomeBase,
            boolean sharedFiles,
            CheckpointedStateScope scope,
            boolean localCopy,
            KeyedBackendSerializationProxy<?> metadata,
            List<CheckpointManifest.State> states) {}

    private final Request request;
    private final SnapshotContext<?> context;
    private final UUID backendId;
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
            SnapshotLease lease,
            CheckpointStreamFactory storage,
            CheckpointHistory history,
            LocalSegmentFiles localFiles,
            SnapshotMetrics metrics) {
        this.request = request;
        this.context = context;
        this.backendId = backendId;
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
        SegmentUploader uploader = new SegmentUploader(storage, cancellation);
        LocalSnapshot local = beginLocalCopy();
        discard =
                () -> {
                    uploader.discardAll();
                    local.discard();
                };
        try {
            List<SegmentFile> segments = writeSegments(snapshot, uploader, local);
            SnapshotResult<StreamStateHandle> manifest =
                    uploader.writeExclusive(
                            ManifestWriter.write(manifest(segments)),
                            request.checkpointId(),
                            local.isActive()
                                    ? context.localRecovery().getLocalStateDirectoryProvider()
                                    : Optional.empty());
            SnapshotResult<KeyedStateHandle> result =
                    result(segments, manifest, uploader.bytesWritten(), local);
            // Tells file merging that the files live on; the job manager learns it from the handle.
            storage.reusePreviousStateHandle(
                    request.plan().reused().values().stream().map(SegmentFile::handle).toList());
            if (request.canBecomeBase()) {
                history.uploaded(request.checkpointId(), segments);
            }
            succeeded = true;
            metrics.written(
                    System.nanoTime() - start,
                    uploader.bytesWritten(),
                    result.getStateSize(),
                    segments.size());
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

    private List<SegmentFile> writeSegments(
            NativeSnapshot snapshot, SegmentUploader uploader, LocalSnapshot local)
            throws IOException {
        Optional<StreamStateHandle> written = uploader.upload(snapshot, request.scope(), local);
        SnapshotDescription description = SnapshotDescription.parse(snapshot.describe());
        if (written.isPresent()) {
            requireLength(written.get(), description.fileBytes());
            local.close(description.newSegment());
        }
        List<SegmentFile> segments = new ArrayList<>();
        for (SnapshotDescription.Segment segment : description.segments()) {
            if (segment.number() == description.newSegment()) {
                segments.add(
                        new SegmentFile(
                                segment.number(),
                                segment.sections(),
                                description.fileBytes(),
                                written.orElseThrow()));
            } else {
                segments.add(earlierSegment(segment, uploader, local));
            }
        }
        return segments;
    }

    private SegmentFile earlierSegment(
            SnapshotDescription.Segment segment, SegmentUploader uploader, LocalSnapshot local)
            throws IOException {
        SegmentFile earlier = request.plan().base().get(segment.number());
        if (earlier == null) {
            throw new IllegalStateException(
                    "Checkpoint "
                            + request.checkpointId()
                            + " builds on segment "
                            + segment.number()
                            + ", which is not in its base.");
        }
        local.link(earlier);
        StreamStateHandle file =
                request.plan().reused().containsKey(segment.number())
                        ? earlier.handle()
                        : uploader.copy(earlier.handle(), request.scope());
        requireLength(file, earlier.bytes());
        return new SegmentFile(segment.number(), segment.sections(), earlier.bytes(), file);
    }

    private static void requireLength(StreamStateHandle file, long bytes) throws IOException {
        if (file.getStateSize() != bytes) {
            throw new IOException(
                    "The checkpoint storage reports "
                            + file.getStateSize()
                            + " bytes for a segment of "
                            + bytes
                            + " bytes: "
                            + file);
        }
    }

    private CheckpointManifest manifest(List<SegmentFile> segments) throws IOException {
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
                segments.stream()
                        .map(
                                s ->
                                        new CheckpointManifest.Segment(
                                                s.number(), s.bytes(), s.sections()))
                        .toList());
    }

    private SnapshotResult<KeyedStateHandle> result(
            List<SegmentFile> segments,
            SnapshotResult<StreamStateHandle> manifest,
            long bytesWritten,
            LocalSnapshot local) {
        List<HandleAndLocalPath> files = request.plan().filesOf(segments);
        KeyedStateHandle remote =
                new IncrementalRemoteKeyedStateHandle(
                        backendId,
                        context.keyGroupRange(),
                        request.checkpointId(),
                        request.sharedFiles() ? files : List.of(),
                        request.sharedFiles() ? List.of() : files,
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
                        segments.stream()
                                .map(s -> HandleAndLocalPath.of(s.handle(), s.name()))
                                .toList()));
    }
}
