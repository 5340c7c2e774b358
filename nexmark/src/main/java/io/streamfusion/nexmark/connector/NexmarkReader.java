package io.streamfusion.nexmark.connector;

import io.streamfusion.nexmark.generator.NexmarkEvent;
import io.streamfusion.nexmark.generator.NexmarkGenerator;
import io.streamfusion.nexmark.generator.NexmarkSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.RowData;

/**
 * Emits the events of its ranges, lowest first, and asks for the next range when it begins its last
 * one, so that it need not wait for the answer. Generates in the task thread; every method is
 * called by that thread.
 */
final class NexmarkReader implements SourceReader<RowData, EventRange> {
    private final SourceReaderContext context;
    private final NexmarkGenerator generator;
    private final Counter emitted;
    private final CompletableFuture<Void> mayEnd;
    private final PriorityQueue<EventRange> waiting = new PriorityQueue<>();
    private CompletableFuture<Void> available = new CompletableFuture<>();
    private boolean noMoreRanges;
    private boolean requested;

    /** Positions of the current range; empty when {@code next == end}. */
    private long next;

    private long end;

    /**
     * @param mayEnd completed, by any thread, when the stream may end after its last event
     */
    NexmarkReader(
            SourceReaderContext context, NexmarkSettings settings, CompletableFuture<Void> mayEnd) {
        this.context = context;
        this.mayEnd = mayEnd;
        this.generator = new NexmarkGenerator(settings);
        this.emitted = context.metricGroup().counter(NexmarkTableFactory.EVENTS_COUNTER);
    }

    @Override
    public void start() {
        requestIfLast();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RowData> output) {
        if (next == end && !beginNextRange()) {
            if (noMoreRanges) {
                return mayEnd.isDone() ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
            }
            available = new CompletableFuture<>();
            return InputStatus.NOTHING_AVAILABLE;
        }
        NexmarkEvent event = generator.event(next++);
        output.collect(EventRows.toRow(event));
        emitted.inc();
        return InputStatus.MORE_AVAILABLE;
    }

    private boolean beginNextRange() {
        EventRange range = waiting.poll();
        if (range == null) {
            return false;
        }
        next = range.first();
        end = range.end();
        requestIfLast();
        return next < end || beginNextRange();
    }

    private void requestIfLast() {
        if (waiting.isEmpty() && !requested && !noMoreRanges) {
            requested = true;
            context.sendSplitRequest();
        }
    }

    @Override
    public List<EventRange> snapshotState(long checkpointId) {
        List<EventRange> ranges = new ArrayList<>(waiting);
        if (next < end) {
            ranges.add(new EventRange(next, end));
        }
        return ranges;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        if (next < end || !waiting.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return noMoreRanges ? mayEnd : available;
    }

    @Override
    public void addSplits(List<EventRange> ranges) {
        requested = false;
        waiting.addAll(ranges);
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreRanges = true;
        available.complete(null);
    }

    @Override
    public void close() {}
}
