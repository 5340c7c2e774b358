package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import io.streamfusion.state.memory.snapshot.SegmentFile;
import io.streamfusion.state.memory.snapshot.SegmentList;
import io.streamfusion.state.memory.snapshot.StateFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;

/**
 * Reads checkpoints of segment files.
 *
 * @param goesOn whether later checkpoints of the backend are segment files too and may build on a
 *     restored one
 */
public record SegmentFormReader(boolean goesOn) implements FormReader {

    @Override
    public CheckpointManifest.Form form() {
        return CheckpointManifest.Form.SEGMENTS;
    }

    @Override
    public FormSource open(RestoreSource source) throws IOException {
        SegmentList list = SegmentList.read(source.manifest().contents(), source.description());
        List<SegmentFile> segments = new ArrayList<>();
        for (SegmentList.Segment segment : list.segments()) {
            segments.add(
                    new SegmentFile(
                            segment.number(),
                            segment.sections(),
                            segment.bytes(),
                            source.locate(SegmentFile.nameOf(segment.number()), segment.bytes())));
        }
        return new Segments(source, list, segments, goesOn);
    }

    private record Segments(
            RestoreSource source, SegmentList list, List<SegmentFile> located, boolean goesOn)
            implements FormSource {

        @Override
        public Loading plan(RestoreTarget<?> target, int[] stateIds) throws IOException {
            return SectionLoading.plan(source.manifest(), located, target, stateIds)::run;
        }

        @Override
        public Optional<List<StateFile>> continueFrom(NativeStore store) {
            List<StateFile> shared = new ArrayList<>();
            for (SegmentList.Segment segment : list.segments()) {
                String name = SegmentFile.nameOf(segment.number());
                StreamStateHandle file = source.shared().get(name);
                // A file that is found relative to its checkpoint would be lost to another one.
                if (file == null || file instanceof RelativeFileStateHandle || !goesOn) {
                    return Optional.empty();
                }
                shared.add(new StateFile(segment.number(), name, segment.bytes(), file));
            }
            store.restoreChain(list.chain());
            return Optional.of(shared);
        }
    }
}
