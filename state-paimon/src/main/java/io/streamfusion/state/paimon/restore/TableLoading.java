package io.streamfusion.state.paimon.restore;

import io.streamfusion.ffi.NativeLoader;
import io.streamfusion.ffi.NativeTableFooter.RowGroup;
import io.streamfusion.state.memory.restore.RestoreTarget;
import io.streamfusion.state.memory.restore.RestoreWorkers;
import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Loads the key groups of one handle that belong to the target. Key groups are independent, so
 * several threads take slices of neighbouring ones; within a slice the files are read from the
 * oldest to the newest, and of them the row groups with rows of the slice.
 */
final class TableLoading {
    /** Large enough that calls cost nothing beside the copying. */
    private static final int PIECE_BYTES = 64 * 1024;

    private final List<OpenDataFile> files;
    private final KeyGroupRange wanted;
    private final RestoreTarget<?> target;
    private final int[] stateIds;

    private TableLoading(
            List<OpenDataFile> files,
            KeyGroupRange wanted,
            RestoreTarget<?> target,
            int[] stateIds) {
        this.files = files;
        this.wanted = wanted;
        this.target = target;
        this.stateIds = stateIds;
    }

    static TableLoading plan(
            CheckpointManifest manifest,
            List<OpenDataFile> files,
            RestoreTarget<?> target,
            int[] stateIds) {
        KeyGroupRange wanted =
                target.keyGroupRange()
                        .getIntersection(
                                KeyGroupRange.of(
                                        manifest.firstKeyGroup(), manifest.lastKeyGroup()));
        return new TableLoading(files, wanted, target, stateIds);
    }

    /** Loads everything; returns when no thread touches the store any more. */
    void run(int threads) throws Exception {
        List<KeyGroupRange> slices =
                KeyGroupSlices.of(
                        wanted,
                        threads,
                        files.stream()
                                .map(OpenDataFile::rowGroups)
                                .flatMap(Collection::stream)
                                .toList());
        AtomicInteger next = new AtomicInteger();
        try (CloseableRegistry streams = new CloseableRegistry();
                RestoreWorkers pool = new RestoreWorkers(slices.size(), streams)) {
            target.cancellation().registerCloseable(streams);
            try {
                // All before any thread runs: creating a loader uses the store.
                List<NativeLoader> loaders = new ArrayList<>();
                for (int i = 0; i < slices.size(); i++) {
                    loaders.add(pool.own(target.store().newLoader(stateIds)));
                }
                for (NativeLoader loader : loaders) {
                    pool.start(() -> load(slices.get(next.getAndIncrement()), loader, streams));
                }
                pool.await();
            } finally {
                target.cancellation().unregisterCloseable(streams);
            }
        }
    }

    private void load(KeyGroupRange slice, NativeLoader loader, CloseableRegistry streams)
            throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        for (OpenDataFile file : files) {
            load(file, slice, loader, streams, piece);
        }
    }

    private static void load(
            OpenDataFile file,
            KeyGroupRange slice,
            NativeLoader loader,
            CloseableRegistry streams,
            byte[] piece)
            throws IOException {
        List<RowGroup> groups = file.rowGroups();
        if (groups.stream().noneMatch(group -> overlaps(group, slice))) {
            return;
        }
        try (FileReader reader = new FileReader(file.stored().handle(), streams)) {
            file.openIn(loader);
            for (int i = 0; i < groups.size(); i++) {
                if (streams.isClosed()) {
                    throw new CancellationException("The restore was cancelled.");
                }
                RowGroup group = groups.get(i);
                if (overlaps(group, slice)) {
                    int length = Math.toIntExact(group.length());
                    reader.read(group.offset(), loader.rowGroupBytes(length), piece);
                    loader.rowGroup(i, slice.getStartKeyGroup(), slice.getEndKeyGroup());
                }
            }
        }
    }

    private static boolean overlaps(RowGroup group, KeyGroupRange slice) {
        return group.firstKeyGroup() <= slice.getEndKeyGroup()
                && group.lastKeyGroup() >= slice.getStartKeyGroup();
    }
}
