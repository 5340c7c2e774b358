package io.streamfusion.jmh.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

class KeyChoiceTest {
    private static final int KEYS = 1_000;
    private static final int DRAWS = 100_000;

    @Test
    void uniformKeysAreEquallyFrequent() {
        int[] counts = sortedCounts(KeyChoice.UNIFORM);

        assertThat(counts[0]).isGreaterThan(DRAWS / KEYS / 2);
        assertThat(counts[KEYS - 1]).isLessThan(DRAWS / KEYS * 2);
    }

    @Test
    void zipfKeysAreFrequentByTheirRank() {
        int[] counts = sortedCounts(KeyChoice.ZIPF);

        // The share of rank k is 1 / (k H), where H = 7.49 is the sum of 1/k over all ranks.
        assertThat(counts[KEYS - 1] / (double) DRAWS).isEqualTo(1 / 7.49, within(0.02));
        assertThat(counts[KEYS - 10] / (double) DRAWS).isEqualTo(0.1 / 7.49, within(0.004));
        assertThat(Arrays.stream(counts).filter(count -> count > 0).count())
                .isGreaterThan(KEYS / 2);
    }

    private static int[] sortedCounts(KeyChoice choice) {
        IntSupplier indexes = choice.indexes(KEYS, new SplittableRandom(1));
        int[] counts = new int[KEYS];
        for (int i = 0; i < DRAWS; i++) {
            counts[indexes.getAsInt()]++;
        }
        Arrays.sort(counts);
        return counts;
    }
}
