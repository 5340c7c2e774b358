package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeCompression;
import io.streamfusion.ffi.NativeSnapshot;
import io.streamfusion.ffi.NativeSnapshotMode;
import io.streamfusion.ffi.NativeStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Checkpoints as immutable segment files, written through the streams of the checkpoint storage.
 *
 * @param backendType the backend that uses this form
 * @param compression compression of the blocks of segment files
 */
public record SegmentForm(String backendType, NativeCompression compression)
        implements DurableForm {

    @Override
    public Closeable prepare(NativeStore store) {
        // A store is ready for segments as it is.
        return () -> {};
    }

    @Override
    public SnapshotKind possible(SnapshotKind wanted, CheckpointStreamFactory storage) {
        return wanted;
    }

    @Override
    public boolean canReuse(StateFile file, CheckpointStreamFactory storage) {
        return storage.couldReuseStateHandle(file.handle());
    }

    @Override
    public FormSnapshot begin(
            SnapshotKind kind, SnapshotContext<?> context, CheckpointStreamFactory storage) {
        NativeSnapshotMode mode =
                switch (kind) {
                    case INCREMENTAL -> NativeSnapshotMode.INCREMENTAL;
                    case FULL -> NativeSnapshotMode.FULL;
                    case FULL_BASE -> NativeSnapshotMode.FULL_BASE;
                };
        return new Segments(context.store(), mode, compression);
    }

    private record Segments(
            NativeStore store, NativeSnapshotMode mode, NativeCompression compression)
            implements FormSnapshot {

        @Override
        public NativeSnapshot freeze(long checkpointId, long ttlNow) {
            return store.beginSnapshot(checkpointId, mode, compression, ttlNow);
        }

        @Override
        public Result write(NativeSnapshot frozen, SnapshotTarget target) throws IOException {
            Optional<StreamStateHandle> written =
                    target.files().upload(frozen, target.scope(), target.local());
            SnapshotDescription description = SnapshotDescription.parse(frozen.describe());
            if (written.isPresent()) {
                requireLength(written.get(), description.fileBytes());
                target.local()
                        .close(
                                description.newSegment(),
                                SegmentFile.nameOf(description.newSegment()));
            }
            List<StateFile> files = new ArrayList<>();
            List<SegmentList.Segment> segments = new ArrayList<>();
            for (SnapshotDescription.Segment segment : description.segments()) {
                StateFile file =
                        segment.number() == description.newSegment()
                                ? new StateFile(
                                        segment.number(),
                                        SegmentFile.nameOf(segment.number()),
                                        description.fileBytes(),
                                        written.orElseThrow())
                                : earlier(segment.number(), target);
                files.add(file);
                segments.add(
                        new SegmentList.Segment(
                                segment.number(), file.bytes(), segment.sections()));
            }
            return new Result(files, List.of(), List.of(), new SegmentList(segments).contents());
        }

        private static StateFile earlier(long number, SnapshotTarget target) throws IOException {
            StateFile earlier = target.earlier(number);
            target.local().link(earlier);
            StreamStateHandle file =
                    target.reused().containsKey(number)
                            ? earlier.handle()
                            : target.files().copy(earlier.handle(), target.scope());
            requireLength(file, earlier.bytes());
            return new StateFile(number, earlier.name(), earlier.bytes(), file);
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
    }
}
