package io.streamfusion.state.memory.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Makes a history of a seed; the same seed gives the same history. */
final class HistoryGenerator {
    private static final int MIN_STEPS = 20;
    private static final int MAX_STEPS = 140;
    private static final int NUMBERS = 1000;

    /** Most histories stay with few keys, so that steps meet. */
    private static final int FEW_KEYS = 4;

    private static final List<StepKind> DRAWN =
            Arrays.stream(StepKind.values())
                    .flatMap(kind -> Collections.nCopies(kind.weight(), kind).stream())
                    .toList();

    private HistoryGenerator() {}

    static List<Step> generate(long seed) {
        Random random = new Random(seed);
        int length = MIN_STEPS + random.nextInt(MAX_STEPS - MIN_STEPS);
        int keys = random.nextInt(3) == 0 ? NUMBERS : FEW_KEYS;
        // Some histories have next to no checkpoints, some little else.
        int checkpointsDropped = random.nextInt(4);
        List<Step> steps = new ArrayList<>();
        steps.add(step(StepKind.SETUP, random, NUMBERS));
        while (steps.size() < length) {
            StepKind kind = DRAWN.get(random.nextInt(DRAWN.size()));
            if (isCheckpointing(kind) && random.nextInt(4) < checkpointsDropped) {
                continue;
            }
            steps.add(step(kind, random, keys));
        }
        return steps;
    }

    private static boolean isCheckpointing(StepKind kind) {
        return kind.compareTo(StepKind.TRIGGER) >= 0;
    }

    private static Step step(StepKind kind, Random random, int keys) {
        return new Step(
                kind,
                random.nextInt(keys),
                random.nextInt(NUMBERS),
                random.nextInt(NUMBERS),
                random.nextInt(NUMBERS));
    }
}
