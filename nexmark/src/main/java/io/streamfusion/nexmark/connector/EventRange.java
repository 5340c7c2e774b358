package io.streamfusion.nexmark.connector;

import org.apache.flink.api.connector.source.SourceSplit;

/**
 * Positions of the stream that one reader still has to emit: from {@code first} up to, without,
 * {@code end}. Ranges are disjoint, so the end names a range through its whole life while its first
 * position moves on.
 */
record EventRange(long first, long end) implements SourceSplit, Comparable<EventRange> {

    EventRange {
        if (first < 0 || end < first) {
            throw new IllegalArgumentException("no range of events: " + first + " to " + end);
        }
    }

    @Override
    public String splitId() {
        return "before-" + end;
    }

    @Override
    public int compareTo(EventRange other) {
        return Long.compare(end, other.end);
    }
}
