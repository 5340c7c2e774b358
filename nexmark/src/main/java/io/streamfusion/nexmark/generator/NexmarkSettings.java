package io.streamfusion.nexmark.generator;

import java.io.Serializable;
import java.time.Instant;

/**
 * What, beside its number, decides an event.
 *
 * @param seed any number; another seed is another stream
 * @param eventsPerSecond events in one second of <em>event time</em>; positive and finite
 * @param baseMillis event time of event 0, milliseconds since the epoch
 * @param shuffle size of the groups inside which events are permuted; 1 leaves them in order
 */
public record NexmarkSettings(long seed, double eventsPerSecond, long baseMillis, int shuffle)
        implements Serializable {

    private static final long serialVersionUID = 1L;

    /**
     * Events in one second of event time unless said otherwise: no two events share a millisecond.
     */
    public static final double DEFAULT_EVENTS_PER_SECOND = 100;

    /** 100 seconds before a midnight, so that 20000 events lie on both sides of it. */
    public static final Instant DEFAULT_BASE = Instant.parse("2024-02-28T23:58:20Z");

    /** Greatest shuffle group: the permutation multiplies a number by 953 and must not overflow. */
    public static final int MAX_SHUFFLE = 1_000_000;

    /** Checks the ranges; throws {@link IllegalArgumentException} naming the setting. */
    public NexmarkSettings {
        if (!(eventsPerSecond > 0) || Double.isInfinite(eventsPerSecond)) {
            throw new IllegalArgumentException(
                    "rate must be a positive number of events a second, not " + eventsPerSecond);
        }
        if (shuffle < 1 || shuffle > MAX_SHUFFLE) {
            throw new IllegalArgumentException(
                    "shuffle must lie between 1 and " + MAX_SHUFFLE + ", not " + shuffle);
        }
    }

    /** The defaults with this seed. */
    public static NexmarkSettings ofSeed(long seed) {
        return new NexmarkSettings(seed, DEFAULT_EVENTS_PER_SECOND, DEFAULT_BASE.toEpochMilli(), 1);
    }
}
