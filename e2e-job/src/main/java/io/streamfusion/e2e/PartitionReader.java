package io.streamfusion.e2e;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;

/** Reads partitions in turn, each no faster than the rate; used by the task thread only. */
final class PartitionReader implements SourceReader<Event, PartitionSplit> {
    private static final long PAUSE_MILLIS = 10;
    private static final int TURN = 64;

    private final long recordsPerSecond;
    private final EndFile endFile;
    private final List<Cursor> cursors = new ArrayList<>();
    private boolean noMoreSplits;
    private CompletableFuture<Void> pause;

    PartitionReader(long recordsPerSecond, EndFile endFile) {
        this.recordsPerSecond = recordsPerSecond;
        this.endFile = endFile;
    }

    @Override
    public void start() {}

    @Override
    public void addSplits(List<PartitionSplit> splits) {
        splits.forEach(split -> cursors.add(new Cursor(split)));
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreSplits = true;
    }

    @Override
    public InputStatus pollNext(ReaderOutput<Event> output) throws Exception {
        pause = null;
        if (!noMoreSplits) {
            return InputStatus.NOTHING_AVAILABLE;
        }
        // Every output exists before the first record: the reader's watermark is the least of the
        // outputs that exist, so a later one would find it too far ahead.
        for (Cursor cursor : cursors) {
            output.createOutputForSplit(cursor.split);
        }
        long end = endFile.end();
        boolean busy = false;
        for (Cursor cursor : cursors) {
            busy |= cursor.emit(output.createOutputForSplit(cursor.split), end);
        }
        cursors.removeIf(
                cursor -> {
                    boolean done = cursor.next == end;
                    if (done) {
                        output.releaseOutputForSplit(cursor.split);
                    }
                    return done;
                });
        if (cursors.isEmpty()) {
            return InputStatus.END_OF_INPUT;
        }
        return busy ? InputStatus.MORE_AVAILABLE : InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        if (pause == null) {
            pause =
                    CompletableFuture.runAsync(
                            () -> {},
                            CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        }
        return pause;
    }

    @Override
    public List<PartitionSplit> snapshotState(long checkpointId) {
        return cursors.stream()
                .map(cursor -> new PartitionSplit(cursor.partition, cursor.next))
                .toList();
    }

    @Override
    public void close() {}

    private final class Cursor {
        final int partition;
        final String split;
        final long first;
        final long startedAt = System.nanoTime();
        long next;

        Cursor(PartitionSplit split) {
            this.partition = split.partition();
            this.split = split.splitId();
            this.first = split.next();
            this.next = split.next();
        }

        /** Emits at most one turn's worth of records; returns whether more could be had at once. */
        boolean emit(SourceOutput<Event> output, long end) throws IOException {
            if (next > end) {
                throw new IOException(
                        "Partition %d is at %d, past its end %d".formatted(partition, next, end));
            }
            long limit = end == EndFile.UNKNOWN ? first + allowance() : end;
            long stop = Math.min(limit, next + TURN);
            while (next < stop) {
                Event event = Event.of(partition, next);
                output.collect(event, event.timestamp);
                next++;
            }
            return next < limit;
        }

        private long allowance() {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedAt);
            return millis * recordsPerSecond / TimeUnit.SECONDS.toMillis(1);
        }
    }
}
