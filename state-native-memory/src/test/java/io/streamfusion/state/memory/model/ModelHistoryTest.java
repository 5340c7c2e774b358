package io.streamfusion.state.memory.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.testing.NoNativeLeaks;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Random histories of state accesses, checkpoints, savepoints, failures, rescales and clock steps,
 * on our backend and on the stock hashmap backend at the same time: everything a job can see is the
 * same.
 *
 * <p>{@code -Dsf.model.histories=N} plays N histories instead of the usual number, {@code
 * -Dsf.model.seed=S} only the one of that seed, both together N from that seed on.
 */
@ExtendWith(NoNativeLeaks.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public class ModelHistoryTest {
    private static final String HISTORIES = "sf.model.histories";
    private static final String SEED = "sf.model.seed";
    private static final int MAX_SHRINKING_TRIALS = 2000;

    private Surroundings surroundings;

    /** What the histories are played on. */
    protected HistoryBackend backend() {
        return new MemoryHistoryBackend();
    }

    /** How many histories are played unless it is said. */
    protected int histories() {
        return 1000;
    }

    /** How many histories are played in this run. */
    protected final int count() {
        return Integer.getInteger(HISTORIES, Long.getLong(SEED) == null ? histories() : 1);
    }

    @BeforeAll
    void createSurroundings() {
        surroundings = Surroundings.create(backend());
    }

    @AfterAll
    void closeSurroundings() throws Exception {
        surroundings.close();
    }

    @TestFactory
    @Order(1)
    Stream<DynamicTest> keptCases() {
        return KeptCases.ALL.stream()
                .map(
                        kept ->
                                DynamicTest.dynamicTest(
                                        kept.about(),
                                        () ->
                                                History.play(
                                                        Step.parse(kept.steps()), surroundings)));
    }

    @Test
    @Order(2)
    void historiesAreReadBackFromTheirText() {
        List<Step> steps = HistoryGenerator.generate(1);
        assertThat(Step.parse(Step.text(steps))).isEqualTo(steps);
    }

    @Test
    @Order(3)
    protected void randomHistories() {
        long first = Long.getLong(SEED, 1);
        for (long seed = first; seed < first + count(); seed++) {
            List<Step> steps = HistoryGenerator.generate(seed);
            try {
                History.play(steps, surroundings);
            } catch (Exception | Error e) {
                throw new AssertionError(report(seed, steps, e), e);
            }
        }
    }

    private String report(long seed, List<Step> steps, Throwable failure) {
        List<Step> shrunk = Shrinker.shrink(steps, this::fails, MAX_SHRINKING_TRIALS);
        return String.format(
                "The history of -D%s=%d fails: %s%nShrunk from %d steps to these, for"
                        + " KeptCases:%n%s",
                SEED, seed, failure.getMessage(), steps.size(), Step.text(shrunk));
    }

    private boolean fails(List<Step> steps) {
        try {
            History.play(steps, surroundings);
            return false;
        } catch (Exception | Error e) {
            return true;
        }
    }
}
