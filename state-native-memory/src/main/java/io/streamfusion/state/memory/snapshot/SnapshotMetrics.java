package io.streamfusion.state.memory.snapshot;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** Durations and sizes of the snapshots of one backend. Thread-safe. */
public final class SnapshotMetrics {
    private final AtomicLong snapshots = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile long lastSyncNanos;
    private volatile long lastAsyncNanos;
    private volatile long lastBytesWritten;
    private volatile long lastBytesTotal;
    private volatile long lastSegments;

    /** Registers the gauges; names end in their unit. */
    public void register(MetricGroup group) {
        group.gauge("snapshotCount", (Gauge<Long>) snapshots::get);
        group.gauge("snapshotFailureCount", (Gauge<Long>) failures::get);
        group.gauge(
                "lastSnapshotSyncMicros",
                (Gauge<Long>) () -> TimeUnit.NANOSECONDS.toMicros(lastSyncNanos));
        group.gauge(
                "lastSnapshotAsyncMillis",
                (Gauge<Long>) () -> TimeUnit.NANOSECONDS.toMillis(lastAsyncNanos));
        group.gauge("lastSnapshotBytesWritten", (Gauge<Long>) () -> lastBytesWritten);
        group.gauge("lastSnapshotBytesTotal", (Gauge<Long>) () -> lastBytesTotal);
        group.gauge("lastSnapshotSegments", (Gauge<Long>) () -> lastSegments);
    }

    /** The part on the task thread of a snapshot ended. */
    void syncPart(long nanos) {
        lastSyncNanos = nanos;
    }

    /**
     * A snapshot was written.
     *
     * @param nanos duration of the part beside the task thread
     * @param bytesWritten bytes of its new files
     * @param bytesTotal bytes of all files it consists of
     * @param segments number of its segment files
     */
    void written(long nanos, long bytesWritten, long bytesTotal, int segments) {
        lastAsyncNanos = nanos;
        lastBytesWritten = bytesWritten;
        lastBytesTotal = bytesTotal;
        lastSegments = segments;
        snapshots.incrementAndGet();
    }

    /** A snapshot failed or was cancelled while it was written. */
    void failed() {
        failures.incrementAndGet();
    }
}
