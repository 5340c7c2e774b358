package io.streamfusion.jmh.runner;

import java.util.List;
import java.util.Map;

/**
 * One line of the result: a benchmark method with its parameters, and what is asked of it.
 *
 * @param id short name, unique; also accepted by {@code --only}
 * @param group name of several cases for {@code --only}
 * @param title what one operation is, in words
 * @param benchmark class and method as JMH names them
 * @param parameters JMH parameters but for the one that names the backend
 * @param effort how long to measure
 * @param backends the backends that it makes sense for; empty: all
 * @param bars what the project's backend shall reach
 */
record BenchCase(
        String id,
        String group,
        String title,
        String benchmark,
        Map<String, String> parameters,
        Effort effort,
        List<String> backends,
        Bars bars) {

    /**
     * Warm-up and measurement of one fork.
     *
     * @param singleShot whether each iteration is a single call
     * @param warmups iterations thrown away
     * @param iterations iterations kept
     * @param seconds length of an iteration; of no meaning for single shots
     */
    record Effort(boolean singleShot, int warmups, int iterations, double seconds) {}

    /**
     * What shall be reached.
     *
     * @param ratios by rival: the rival's time over ours, at least
     * @param maxima by name of a measured value: ours, at most ({@code time} in the unit of the
     *     case)
     */
    record Bars(Map<String, Double> ratios, Map<String, Double> maxima) {
        static final Bars NONE = new Bars(Map.of(), Map.of());

        static Bars ratios(double rocksdb, double hashmap) {
            return new Bars(Map.of("rocksdb", rocksdb, "hashmap", hashmap), Map.of());
        }
    }

    boolean runsOn(String backend) {
        return backends.isEmpty() || backends.contains(backend);
    }
}
