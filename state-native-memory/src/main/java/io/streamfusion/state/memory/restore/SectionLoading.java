package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeLoader;
import io.streamfusion.ffi.NativeSegmentIndex;
import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import io.streamfusion.state.memory.snapshot.SegmentFile;
import io.streamfusion.state.memory.snapshot.SegmentSection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Loads the key groups of one handle that belong to the target. Key groups are independent, so
 * several threads take slices of neighbouring ones, which keeps each thread's reads sequential.
 */
final class SectionLoading {
    private static final int SLICES_PER_THREAD = 4;

    private final RestoreTarget<?> target;
    private final List<SegmentFile> segments;
    private final int[] stateIds;

    /** Per key group the sections to load, oldest first. */
    private final List<List<Section>> keyGroups;

    private record Section(int segment, NativeSegmentIndex.Entry entry) {}

    private SectionLoading(
            RestoreTarget<?> target,
            List<SegmentFile> segments,
            int[] stateIds,
            List<List<Section>> keyGroups) {
        this.target = target;
        this.segments = segments;
        this.stateIds = stateIds;
        this.keyGroups = keyGroups;
    }

    /** Reads the footers and checks them against the manifest. */
    static SectionLoading plan(
            CheckpointManifest manifest,
            List<SegmentFile> segments,
            RestoreTarget<?> target,
            int[] stateIds)
            throws IOException {
        KeyGroupRange wanted =
                target.keyGroupRange()
                        .getIntersection(
                                KeyGroupRange.of(
                                        manifest.firstKeyGroup(), manifest.lastKeyGroup()));
        List<List<Section>> keyGroups = new ArrayList<>();
        for (int i = 0; i < wanted.getNumberOfKeyGroups(); i++) {
            keyGroups.add(new ArrayList<>());
        }
        for (int i = 0; i < segments.size(); i++) {
            for (NativeSegmentIndex.Entry entry :
                    checkedIndex(segments.get(i), target.cancellation())) {
                if (wanted.contains(entry.keyGroup())) {
                    List<Section> sections =
                            keyGroups.get(entry.keyGroup() - wanted.getStartKeyGroup());
                    if (isFull(entry)) {
                        sections.clear();
                    }
                    sections.add(new Section(i, entry));
                }
            }
        }
        keyGroups.removeIf(List::isEmpty);
        return new SectionLoading(target, segments, stateIds, keyGroups);
    }

    /** The sections that the manifest uses; a segment may have more, which newer ones replaced. */
    private static List<NativeSegmentIndex.Entry> checkedIndex(
            SegmentFile segment, CloseableRegistry cancellation) throws IOException {
        try (SegmentReader reader = new SegmentReader(segment, cancellation)) {
            NativeSegmentIndex index = reader.index();
            Map<SegmentSection, NativeSegmentIndex.Entry> found = new HashMap<>();
            for (NativeSegmentIndex.Entry entry : index.entries()) {
                found.put(
                        new SegmentSection(entry.keyGroup(), isFull(entry), entry.length()), entry);
            }
            if (index.segmentNo() != segment.number()
                    || !found.keySet().containsAll(segment.sections())) {
                throw new CorruptCheckpointException(
                        RestoreSource.describe(segment.handle()),
                        0,
                        "this is segment "
                                + index.segmentNo()
                                + " with other contents than the manifest of the checkpoint says of"
                                + " segment "
                                + segment.number());
            }
            return segment.sections().stream().map(found::get).toList();
        }
    }

    private static boolean isFull(NativeSegmentIndex.Entry entry) {
        return entry.kind() == 1;
    }

    /** Loads everything; returns when no thread touches the store any more. */
    void run(int threads) throws Exception {
        int workers = Math.min(threads, keyGroups.size());
        int slice = Math.max(1, keyGroups.size() / Math.max(1, workers * SLICES_PER_THREAD));
        AtomicInteger next = new AtomicInteger();
        try (CloseableRegistry streams = new CloseableRegistry();
                RestoreWorkers pool = new RestoreWorkers(workers, streams)) {
            target.cancellation().registerCloseable(streams);
            try {
                // All before any thread runs: creating a loader uses the store.
                List<NativeLoader> loaders = new ArrayList<>();
                for (int i = 0; i < workers; i++) {
                    loaders.add(pool.own(target.store().newLoader(stateIds)));
                }
                for (NativeLoader loader : loaders) {
                    pool.start(() -> loadSlices(next, slice, loader, streams));
                }
                pool.await();
            } finally {
                target.cancellation().unregisterCloseable(streams);
            }
        }
    }

    private void loadSlices(
            AtomicInteger next, int slice, NativeLoader loader, CloseableRegistry streams)
            throws IOException {
        SegmentReader[] readers = new SegmentReader[segments.size()];
        try {
            while (true) {
                int from = next.getAndAdd(slice);
                if (from >= keyGroups.size()) {
                    return;
                }
                int to = Math.min(keyGroups.size(), from + slice);
                for (List<Section> sections : keyGroups.subList(from, to)) {
                    for (Section section : sections) {
                        if (streams.isClosed()) {
                            throw new CancellationException("The restore was cancelled.");
                        }
                        if (readers[section.segment()] == null) {
                            readers[section.segment()] =
                                    new SegmentReader(segments.get(section.segment()), streams);
                        }
                        readers[section.segment()].load(section.entry(), loader);
                    }
                }
            }
        } finally {
            for (SegmentReader reader : readers) {
                if (reader != null) {
                    reader.close();
                }
            }
        }
    }
}
