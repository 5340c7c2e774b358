package io.streamfusion.state.memory.metrics;

import io.streamfusion.ffi.NativeSpillStats;
import io.streamfusion.ffi.NativeStoreStats;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * Gauges of one store and its budget. The task thread publishes figures from time to time;
 * reporters read the last ones and never touch native memory, which may be gone when they do.
 */
public final class StoreMetrics {
    private volatile NativeStoreStats stats = NativeStoreStats.EMPTY;
    private volatile NativeSpillStats spilling = NativeSpillStats.EMPTY;
    private volatile long budgetUsed;
    private volatile long budgetLimit;

    /** Registers the gauges; bytes and counts. */
    public void register(MetricGroup group) {
        group.gauge("memoryUsedBytes", (Gauge<Long>) () -> budgetUsed);
        group.gauge("memoryBudgetBytes", (Gauge<Long>) () -> budgetLimit);
        group.gauge("entries", (Gauge<Long>) () -> stats.liveRows());
        group.gauge("entryBytes", (Gauge<Long>) () -> stats.liveBytes());
        group.gauge("allocatedBytes", (Gauge<Long>) () -> stats.allocatedBytes());
        group.gauge("garbageBytes", (Gauge<Long>) () -> stats.garbageBytes());
        group.gauge("timers", (Gauge<Long>) () -> stats.timers());
        group.gauge("compactedBytes", (Gauge<Long>) () -> stats.compactedBytes());
        group.gauge("spilledBytes", (Gauge<Long>) () -> spilling.spilled());
        group.gauge("spillWrittenBytes", (Gauge<Long>) () -> spilling.written());
        group.gauge("spillReadBytes", (Gauge<Long>) () -> spilling.read());
    }

    /** Shows new figures of the store and of the budget it shares. */
    public void publish(
            NativeStoreStats newStats,
            NativeSpillStats newSpilling,
            long usedBytes,
            long limitBytes) {
        stats = newStats;
        spilling = newSpilling;
        budgetUsed = usedBytes;
        budgetLimit = limitBytes;
    }
}
