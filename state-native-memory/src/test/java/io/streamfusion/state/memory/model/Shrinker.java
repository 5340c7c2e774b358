package io.streamfusion.state.memory.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a failing history shorter: drops steps as long as what is left still fails. */
final class Shrinker {
    private Shrinker() {}

    /**
     * Drops ever smaller pieces until no single step can be dropped.
     *
     * @param failing a history that fails
     * @param fails whether a history fails
     * @param trials most histories to try
     */
    static <T> List<T> shrink(List<T> failing, Predicate<List<T>> fails, int trials) {
        List<T> shortest = failing;
        int left = trials;
        int piece = Math.max(1, failing.size() / 2);
        while (left > 0) {
            boolean dropped = false;
            for (int start = shortest.size() - piece; start > -piece && left > 0; start -= piece) {
                List<T> candidate = without(shortest, Math.max(0, start), start + piece);
                left--;
                if (fails.test(candidate)) {
                    shortest = candidate;
                    dropped = true;
                }
            }
            if (piece == 1 && !dropped) {
                return shortest;
            }
            piece = Math.max(1, piece / 2);
        }
        return shortest;
    }

    private static <T> List<T> without(List<T> steps, int from, int to) {
        List<T> rest = new ArrayList<>(steps.subList(0, from));
        rest.addAll(steps.subList(Math.min(to, steps.size()), steps.size()));
        return rest;
    }
}
