package io.streamfusion.state.memory.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
    private static final List<Integer> STEPS = IntStream.range(0, 137).boxed().toList();

    @Test
    void keepsWhatTheFailureNeeds() {
        List<Integer> shrunk =
                Shrinker.shrink(STEPS, steps -> steps.containsAll(List.of(3, 64, 136)), 10_000);
        assertThat(shrunk).containsExactly(3, 64, 136);
    }

    @Test
    void canEndWithNothing() {
        assertThat(Shrinker.shrink(STEPS, steps -> true, 10_000)).isEmpty();
    }

    @Test
    void returnsAFailingHistoryWhenTheTrialsRunOut() {
        List<Integer> shrunk = Shrinker.shrink(STEPS, steps -> steps.contains(70), 3);
        assertThat(shrunk).contains(70).hasSizeLessThan(STEPS.size());
    }
}
