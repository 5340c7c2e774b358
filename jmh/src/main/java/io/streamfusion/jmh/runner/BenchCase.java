package io.streamfusion.jmh.runner;

import io.streamfusion.jmh.report.Statistic;
import java.util.ArrayList;
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
 * @param managedMib managed memory in MiB; 0: that of the run
 * @param backends the backends that it makes sense for; empty: all
 * @param bars what the project's backends shall reach
 */
record BenchCase(
        String id,
        String group,
        String title,
        String benchmark,
        Map<String, String> parameters,
        Effort effort,
        long managedMib,
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
     * @param backends ours that shall; the report shows the first even when it did not run
     * @param ratioOf name of the value that the ratios compare, {@value #TIME} or a further one
     * @param ratios by rival: the rival's value over ours, at least
     * @param limits what ours may be at most
     */
    record Bars(
            List<String> backends, String ratioOf, Map<String, Double> ratios, List<Limit> limits) {
        static final String TIME = "time";

        /** Bars without numbers, to which {@code with...} adds them. */
        static Bars of(String... backends) {
            return new Bars(List.of(backends), TIME, Map.of(), List.of());
        }

        /** And nothing else than these ratios of times. */
        Bars withRatios(Map<String, Double> byRival) {
            return new Bars(backends, TIME, byRival, limits);
        }

        /** And nothing else than this ratio of another value. */
        Bars withRatioOf(String value, String rival, double least) {
            return new Bars(backends, value, Map.of(rival, least), limits);
        }

        /** And this limit. */
        Bars withLimit(String value, Statistic statistic, double most) {
            List<Limit> more = new ArrayList<>(limits);
            more.add(new Limit(value, statistic, most));
            return new Bars(backends, ratioOf, ratios, List.copyOf(more));
        }
    }

    /**
     * A limit.
     *
     * @param value name of a measured value; {@code time} is in the unit of the case
     * @param statistic what of its samples
     * @param most its greatest value allowed
     */
    record Limit(String value, Statistic statistic, double most) {}

    boolean runsOn(String backend) {
        return backends.isEmpty() || backends.contains(backend);
    }
}
