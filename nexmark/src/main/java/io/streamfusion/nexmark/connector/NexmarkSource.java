package io.streamfusion.nexmark.connector;

import io.streamfusion.nexmark.generator.NexmarkSettings;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.util.ratelimit.GuavaRateLimiter;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimitedSourceReader;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;

/**
 * The Nexmark stream as a Flink source. The rows depend on the settings and the number of events,
 * not on parallelism, failures or rescaling.
 */
public final class NexmarkSource implements Source<RowData, EventRange, EnumeratorState> {
    private static final long serialVersionUID = 1L;

    /**
     * Short enough to keep readers together in event time, long enough that requests cost nothing.
     */
    private static final int RANGE_LENGTH = 1000;

    private final NexmarkSettings settings;
    private final long events;
    private final double eventsPerSecond;

    /** Null: the stream ends after its last event. */
    private final String endGate;

    /**
     * A source of events 0 to {@code events} − 1.
     *
     * @param events {@link Long#MAX_VALUE} for a stream without end
     * @param eventsPerSecond events in one second of the clock that all readers together emit at
     *     most; infinite for no limit
     * @param endGate the {@link EndGate} that readers wait at before they end
     */
    public NexmarkSource(
            NexmarkSettings settings,
            long events,
            double eventsPerSecond,
            Optional<String> endGate) {
        if (events < 0) {
            throw new IllegalArgumentException("events must not be negative: " + events);
        }
        if (!(eventsPerSecond > 0)) {
            throw new IllegalArgumentException(
                    "events-per-second must be positive: " + eventsPerSecond);
        }
        this.settings = settings;
        this.events = events;
        this.eventsPerSecond = eventsPerSecond;
        this.endGate = endGate.orElse(null);
    }

    @Override
    public Boundedness getBoundedness() {
        return events == Long.MAX_VALUE ? Boundedness.CONTINUOUS_UNBOUNDED : Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<RowData, EventRange> createReader(SourceReaderContext context) {
        NexmarkReader reader =
                new NexmarkReader(
                        context,
                        settings,
                        endGate == null
                                ? CompletableFuture.completedFuture(null)
                                : EndGate.find(endGate).opened());
        if (Double.isInfinite(eventsPerSecond)) {
            return reader;
        }
        double share = eventsPerSecond / context.currentParallelism();
        return new RateLimitedSourceReader<>(reader, new GuavaRateLimiter<>(share));
    }

    @Override
    public SplitEnumerator<EventRange, EnumeratorState> createEnumerator(
            SplitEnumeratorContext<EventRange> context) {
        return restoreEnumerator(context, new EnumeratorState(0, List.of()));
    }

    @Override
    public SplitEnumerator<EventRange, EnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<EventRange> context, EnumeratorState state) {
        Runnable atCheckpoint = endGate == null ? () -> {} : EndGate.find(endGate)::passCheckpoint;
        return new RangeEnumerator(context, events, RANGE_LENGTH, state, atCheckpoint);
    }

    @Override
    public SimpleVersionedSerializer<EventRange> getSplitSerializer() {
        return new RangeSerializers.OfRange();
    }

    @Override
    public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
        return new RangeSerializers.OfEnumerator();
    }
}
