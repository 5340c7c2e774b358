package io.streamfusion.nexmark.generator;

import java.nio.charset.StandardCharsets;

/**
 * SplitMix64 with a stream of its own for every (seed, purpose, number). Integer arithmetic and
 * {@link StrictMath} only, so that every JVM draws the same. One thread.
 */
final class EventRandom {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final long PURPOSE_STEP = 0x632BE59BD9B4E019L;

    private final long seed;
    private long state;

    EventRandom(long seed) {
        this.seed = seed;
    }

    /** Starts the stream of this purpose and number from its beginning. */
    void start(Purpose purpose, long number) {
        long origin = scramble(seed + purpose.salt * PURPOSE_STEP);
        state = scramble(origin + number * GOLDEN);
    }

    /** What a stream is drawn for: streams of different purposes share no values. */
    enum Purpose {
        EVENT(1),
        COLD_CHANNEL_URL(2),
        HOT_CHANNEL_URL(3);

        private final long salt;

        Purpose(long salt) {
            this.salt = salt;
        }
    }

    /**
     * Uniform in [0, bound); the bias of the multiplication is below 2^-32 for the small bounds
     * used.
     */
    int below(long bound) {
        long upper = bits() >>> 32;
        return (int) ((upper * bound) >>> 32);
    }

    /** True once in {@code n} times on average. */
    boolean onceIn(int n) {
        return below(n) == 0;
    }

    <T> T oneOf(T[] choices) {
        return choices[below(choices.length)];
    }

    /** Cents, 100 to 100 000 000, every decade alike. */
    long price() {
        double unit = (bits() >>> 11) * 0x1.0p-53;
        return StrictMath.round(StrictMath.pow(10.0, unit * 6.0) * 100.0);
    }

    /**
     * A word of 3 to {@code limit} - 1 letters, each one replaced by {@code gap} once in 13 times;
     * blanks at its ends are cut, so that it may be shorter.
     */
    String word(int limit, char gap) {
        char[] letters = new char[3 + below(limit - 3)];
        for (int i = 0; i < letters.length; i++) {
            letters[i] = onceIn(13) ? gap : (char) ('a' + below(26));
        }
        return new String(letters).strip();
    }

    /**
     * Filling for an event of {@code used} bytes that should have about {@code wanted}, give or
     * take a fifth of what is missing. Every six characters lie on one side of 'a', up to 'z' or
     * down to 'H': backslashes occur and need escapes in JSON.
     */
    String padding(int used, int wanted) {
        int missing = wanted - used;
        if (missing < 0) {
            return "";
        }
        int fifth = (int) Math.round(missing * 0.2);
        int spread = fifth == 0 ? 0 : below(2L * fifth);
        byte[] filling = new byte[missing - fifth + spread];
        boolean up = true;
        for (int i = 0; i < filling.length; i++) {
            if (i % 6 == 0) {
                up = onceIn(2);
            }
            int step = below(26);
            filling[i] = (byte) (up ? 'a' + step : 'a' - step);
        }
        return new String(filling, StandardCharsets.ISO_8859_1);
    }

    private long bits() {
        state += GOLDEN;
        return scramble(state);
    }

    private static long scramble(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
