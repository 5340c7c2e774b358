package io.streamfusion.jmh.report;

import java.util.Collections;
import java.util.List;

/** What a bar asks of the samples of one fork, which are in the order of time. */
public enum Statistic {
    /** The middle one. */
    MEDIAN("max", ""),
    /** Their mean, for what comes in bursts. */
    MEAN("maxMean", ", mean"),
    /** The median of the last tenth over that of the first. */
    GROWTH("maxGrowth", ", last tenth over first"),
    /** The greatest of the second half over that of the first, for what goes up and down. */
    PEAK_GROWTH("maxPeakGrowth", ", greatest of second half over that of first");

    private final String field;
    private final String words;

    Statistic(String field, String words) {
        this.field = field;
        this.words = words;
    }

    /** The field of a case in the result file that holds the bars, by name of the value. */
    public String field() {
        return field;
    }

    /** To be added to the name of the value. */
    String words() {
        return words;
    }

    /** Whether the statistic has the unit of the samples. */
    boolean keepsUnit() {
        return this == MEDIAN || this == MEAN;
    }

    /** Of at least one sample. */
    double of(List<Double> samples) {
        return switch (this) {
            case MEDIAN -> Spread.median(samples);
            case MEAN -> samples.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
            case GROWTH -> Spread.median(lastTenth(samples)) / Spread.median(firstTenth(samples));
            case PEAK_GROWTH -> {
                int half = samples.size() / 2;
                yield Collections.max(samples.subList(half, samples.size()))
                        / Collections.max(samples.subList(0, Math.max(1, half)));
            }
        };
    }

    static List<Double> firstTenth(List<Double> samples) {
        return samples.subList(0, tenth(samples));
    }

    static List<Double> lastTenth(List<Double> samples) {
        return samples.subList(samples.size() - tenth(samples), samples.size());
    }

    private static int tenth(List<Double> samples) {
        return Math.max(1, samples.size() / 10);
    }
}
