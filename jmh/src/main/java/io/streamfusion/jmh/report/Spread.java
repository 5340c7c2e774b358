package io.streamfusion.jmh.report;

import java.util.List;
import java.util.Optional;

/**
 * The middle and the ends of some samples.
 *
 * @param median the median, of an even number of samples the mean of the middle two
 * @param least the least
 * @param greatest the greatest
 */
record Spread(double median, double least, double greatest) {

    /** Empty when there are no samples. */
    static Optional<Spread> of(List<Double> samples) {
        if (samples.isEmpty()) {
            return Optional.empty();
        }
        List<Double> sorted = samples.stream().sorted().toList();
        return Optional.of(new Spread(median(sorted), sorted.getFirst(), sorted.getLast()));
    }

    /** The median of at least one sample. */
    static double median(List<Double> samples) {
        List<Double> sorted = samples.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
