package io.streamfusion.matrix.verify;

import io.streamfusion.matrix.kafka.Corpus;
import io.streamfusion.nexmark.generator.NexmarkEvent;
import io.streamfusion.nexmark.generator.NexmarkGenerator;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What can be said of q12, whose windows are those of the clock: nobody has two counts for one
 * window, windows are where they belong, and nobody has more bids than the input. Fewer are right:
 * a window that is open at the end of the input is not emitted.
 */
public final class ClockWindows {
    private static final Duration LENGTH = Duration.ofSeconds(10);
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");

    private final Map<Long, Long> bidsByBidder = new HashMap<>();

    /** Counts the bids of the input. */
    public ClockWindows(Corpus corpus) {
        NexmarkGenerator generator = new NexmarkGenerator(corpus.settings());
        for (long position = 0; position < corpus.events(); position++) {
            if (generator.event(position) instanceof NexmarkEvent.Bid bid) {
                bidsByBidder.merge(bid.bidder(), 1L, Long::sum);
            }
        }
    }

    /** Number of bids in the input. */
    public long bids() {
        return bidsByBidder.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Number of bids in a result. */
    public long counted(List<String> rows) {
        return rows.stream().mapToLong(row -> Long.parseLong(row.split("\\|", -1)[1])).sum();
    }

    /**
     * Says what is wrong with a result; empty when nothing is.
     *
     * @param rows bidder, count, start and end of the window
     */
    public Optional<String> fault(List<String> rows) {
        Map<Long, Long> counted = new HashMap<>();
        Set<String> seen = new HashSet<>();
        for (String row : rows) {
            String[] columns = row.split("\\|", -1);
            LocalDateTime start = LocalDateTime.parse(columns[2], TIME);
            if (!Duration.between(start, LocalDateTime.parse(columns[3], TIME)).equals(LENGTH)
                    || start.getNano() != 0
                    || start.getSecond() % LENGTH.toSeconds() != 0) {
                return Optional.of("no window of 10 seconds: " + row);
            }
            if (!seen.add(columns[0] + "|" + columns[2])) {
                return Optional.of("a second count for one window: " + row);
            }
            counted.merge(Long.valueOf(columns[0]), Long.valueOf(columns[1]), Long::sum);
        }
        return counted.entrySet().stream()
                .filter(of -> of.getValue() > bidsByBidder.getOrDefault(of.getKey(), 0L))
                .map(
                        of ->
                                "bidder %d has %d bids, of which %d were counted"
                                        .formatted(
                                                of.getKey(),
                                                bidsByBidder.getOrDefault(of.getKey(), 0L),
                                                of.getValue()))
                .findFirst();
    }
}
