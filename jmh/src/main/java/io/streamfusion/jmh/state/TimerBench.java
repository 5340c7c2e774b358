package io.streamfusion.jmh.state;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.tasks.StreamTaskCancellationContext;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Event-time timers through Flink's timer service with the backend as its queue: a steady
 * population, in which each timer registered is matched by one fired.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TimerBench extends BackendState
        implements KeyContext, Triggerable<Long, VoidNamespace> {
    private static final int BATCH = 1_000;

    /** Mean number of waiting timers; also the number of distinct keys. */
    @Param({"1000000"})
    public int timers;

    private InternalTimeServiceManagerImpl<Long> manager;
    private InternalTimerService<VoidNamespace> service;
    private long watermark;
    private long fired;

    /**
     * Opens the backend and registers the timers that would be waiting had the benchmark been
     * running for ever: one registration per tick with a delay uniform in {@code 1 .. 2 * timers}.
     */
    @Setup(Level.Trial)
    public void fill() throws Exception {
        open();
        manager =
                InternalTimeServiceManagerImpl.create(
                        UnregisteredMetricGroups.createUnregisteredTaskMetricGroup()
                                .getIOMetricGroup(),
                        fixture.keyed(),
                        fixture.keyed().getKeyGroupRange(),
                        TimerBench.class.getClassLoader(),
                        this,
                        new TestProcessingTimeService(),
                        List.of(),
                        StreamTaskCancellationContext.alwaysRunning());
        service =
                manager.getInternalTimerService(
                        "timers", LongSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE, this);
        for (long tick = 1 - 2L * timers; tick <= 0; tick++) {
            long time = tick + delay();
            if (time > 0) {
                selectRandomKey(timers);
                service.registerEventTimeTimer(VoidNamespace.INSTANCE, time);
            }
        }
    }

    /** Frees the backend. */
    @TearDown(Level.Trial)
    public void free() throws Exception {
        close();
    }

    /**
     * One operation: register a timer for a random key, and fire one. The watermark advances by
     * {@value #BATCH} ticks after as many registrations.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long registerFire() throws Exception {
        for (int i = 1; i <= BATCH; i++) {
            selectRandomKey(timers);
            service.registerEventTimeTimer(VoidNamespace.INSTANCE, watermark + i + delay());
        }
        watermark += BATCH;
        manager.advanceWatermark(new Watermark(watermark));
        return fired;
    }

    private long delay() {
        return 1 + random.nextLong(2L * timers);
    }

    @Override
    public void setCurrentKey(Object key) {
        fixture.keyed().setCurrentKey((Long) key);
    }

    @Override
    public Object getCurrentKey() {
        return fixture.keyed().getCurrentKey();
    }

    @Override
    public void onEventTime(InternalTimer<Long, VoidNamespace> timer) {
        fired++;
    }

    @Override
    public void onProcessingTime(InternalTimer<Long, VoidNamespace> timer) {
        throw new IllegalStateException("No processing-time timer was registered: " + timer);
    }
}
