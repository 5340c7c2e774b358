package io.streamfusion.state.memory.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Where copies of segment files lie on the local disk. Flink deletes the directories of old
 * checkpoints at any time, so each copy is a hint that may be gone. Thread-safe.
 */
final class LocalSegmentFiles {
    private static final int COPIES_REMEMBERED = 4;

    private final Map<Long, Deque<Path>> copies = new HashMap<>();

    /** A copy of the segment was completed here. */
    synchronized void add(long segment, Path file) {
        Deque<Path> known = copies.computeIfAbsent(segment, number -> new ArrayDeque<>());
        known.remove(file);
        known.addFirst(file);
        if (known.size() > COPIES_REMEMBERED) {
            known.removeLast();
        }
    }

    /** Forgets the segments that are in no checkpoint any more. */
    synchronized void retain(Set<Long> segments) {
        copies.keySet().retainAll(segments);
    }

    /**
     * Makes a known copy of the segment appear at another place, without copying bytes where the
     * file system has links.
     *
     * @return whether there was a copy
     */
    boolean link(long segment, Path target) throws IOException {
        for (Path copy : known(segment)) {
            if (Files.exists(copy)) {
                try {
                    Files.createLink(target, copy);
                } catch (UnsupportedOperationException e) {
                    Files.copy(copy, target);
                }
                return true;
            }
        }
        return false;
    }

    private synchronized Path[] known(long segment) {
        return copies.getOrDefault(segment, new ArrayDeque<>()).toArray(Path[]::new);
    }
}
