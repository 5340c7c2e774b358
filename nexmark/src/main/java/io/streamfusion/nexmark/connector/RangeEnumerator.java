package io.streamfusion.nexmark.connector;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

/**
 * Hands out short ranges in ascending order to whoever asks. So all readers stay close to each
 * other in event time, each sees its events in order, and no event is late whatever the
 * parallelism. Runs in the coordinator thread.
 */
final class RangeEnumerator implements SplitEnumerator<EventRange, EnumeratorState> {
    private final SplitEnumeratorContext<EventRange> context;
    private final long events;
    private final int rangeLength;
    private final Runnable atCheckpoint;

    /** Given back before the last restore: anybody's. */
    private final NavigableSet<EventRange> orphans = new TreeSet<>();

    /**
     * Given back by a reader that restarts alone. They go to that reader again: its watermark
     * starts anew, another one's is past them.
     */
    private final TreeMap<Integer, NavigableSet<EventRange>> returnedBy = new TreeMap<>();

    private long next;

    /**
     * @param atCheckpoint called at the beginning of each checkpoint; may make it wait
     */
    RangeEnumerator(
            SplitEnumeratorContext<EventRange> context,
            long events,
            int rangeLength,
            EnumeratorState start,
            Runnable atCheckpoint) {
        this.context = context;
        this.events = events;
        this.rangeLength = rangeLength;
        this.atCheckpoint = atCheckpoint;
        this.next = start.next();
        this.orphans.addAll(start.returned());
    }

    @Override
    public void start() {}

    @Override
    public void addReader(int subtask) {
        NavigableSet<EventRange> returned = returnedBy.remove(subtask);
        if (returned != null) {
            returned.forEach(range -> context.assignSplit(range, subtask));
        }
    }

    @Override
    public void handleSplitRequest(int subtask, String host) {
        if (!context.registeredReaders().containsKey(subtask)) {
            return; // failed since it asked
        }
        EventRange orphan = orphans.pollFirst();
        if (orphan != null) {
            context.assignSplit(orphan, subtask);
        } else if (next < events) {
            long end = events - next <= rangeLength ? events : next + rangeLength;
            context.assignSplit(new EventRange(next, end), subtask);
            next = end;
        } else {
            context.signalNoMoreSplits(subtask);
        }
    }

    @Override
    public void addSplitsBack(List<EventRange> ranges, int subtask) {
        returnedBy.computeIfAbsent(subtask, ignored -> new TreeSet<>()).addAll(ranges);
    }

    @Override
    public EnumeratorState snapshotState(long checkpointId) {
        atCheckpoint.run();
        List<EventRange> returned = new ArrayList<>(orphans);
        returnedBy.values().forEach(returned::addAll);
        return new EnumeratorState(next, returned);
    }

    @Override
    public void close() {}
}
