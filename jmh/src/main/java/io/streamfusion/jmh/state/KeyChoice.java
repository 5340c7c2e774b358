package io.streamfusion.jmh.state;

import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import org.apache.commons.math3.distribution.ZipfDistribution;
import org.apache.commons.math3.random.Well19937c;

/** How often each key is chosen. */
public enum KeyChoice {
    /** All equally often. */
    UNIFORM {
        @Override
        IntSupplier indexes(int keys, SplittableRandom random) {
            return () -> random.nextInt(keys);
        }
    },

    /**
     * By Zipf's law with exponent 1. Drawn beforehand, because a draw costs as much as an operation
     * on a state; after the last one the first comes again.
     */
    ZIPF {
        @Override
        IntSupplier indexes(int keys, SplittableRandom random) {
            ZipfDistribution ranks =
                    new ZipfDistribution(new Well19937c(random.nextLong()), keys, 1.0);
            int[] drawn = new int[Math.min(MOST_DRAWN, DRAWN_PER_KEY * keys)];
            for (int i = 0; i < drawn.length; i++) {
                // Frequent keys shall not be neighbours by index: they would be so in memory too.
                drawn[i] = (int) (ranks.sample() * PRIME % keys);
            }
            return new IntSupplier() {
                private int next;

                @Override
                public int getAsInt() {
                    int index = drawn[next];
                    next = next + 1 == drawn.length ? 0 : next + 1;
                    return index;
                }
            };
        }
    };

    private static final int MOST_DRAWN = 1 << 26;
    private static final int DRAWN_PER_KEY = 4;

    /** Greater than any number of keys, so that multiplying by it permutes the indexes. */
    private static final long PRIME = Integer.MAX_VALUE;

    /** Indexes of keys, from 0 up to {@code keys-1}. */
    abstract IntSupplier indexes(int keys, SplittableRandom random);
}
