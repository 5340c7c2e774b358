package io.streamfusion.state.paimon.rss;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.rss.ChildJvm;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * State of several times its memory: what the operating system says about the process, and every
 * row against a model.
 */
@EnabledOnOs(
        value = OS.LINUX,
        disabledReason = "The resident memory of a process is read from /proc, which is Linux.")
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpillingSoakTest {
    private static final int HEAP_MEGABYTES = 160;
    private static final int BUDGET_MEGABYTES = 64;
    private static final long BUDGET = (long) BUDGET_MEGABYTES << 20;

    /** What everything native may take beyond the budget. */
    private static final long ALLOWANCE = 64L << 20;

    private static final int KEYS = 64_000;
    private static final int CHECKPOINTS = 5;
    private static final int STEPS_A_CHECKPOINT = 50_000;

    @Test
    void stateOfFourTimesTheBudgetStaysWithinItAndIsExact(@TempDir Path directory)
            throws Exception {
        try (ChildJvm child =
                ChildJvm.start(
                        SpillingSoak.class,
                        HEAP_MEGABYTES,
                        Integer.toString(BUDGET_MEGABYTES),
                        Integer.toString(KEYS),
                        Integer.toString(CHECKPOINTS),
                        Integer.toString(STEPS_A_CHECKPOINT),
                        directory.toString())) {
            assertThat(child.nextMessage()).containsExactly("empty");
            long baseline = child.resident();
            child.goOn();

            for (int checkpoint = 1; checkpoint <= CHECKPOINTS; checkpoint++) {
                assertLargerThanMemory("checkpoint", child, baseline);
            }
            assertLargerThanMemory("restored", child, baseline);
            assertLargerThanMemory("read", child, baseline);
            assertThat(child.nextMessage())
                    .as("live objects and charged bytes")
                    .containsExactly("closed", "0", "0");
            assertThat(child.highestResident() - baseline)
                    .as("resident bytes at the highest point")
                    .isLessThanOrEqualTo(BUDGET + ALLOWANCE);
            child.goOn();
        }
    }

    /** The child announces the store's own figures, and its memory is measured. */
    private static void assertLargerThanMemory(String what, ChildJvm child, long baseline)
            throws Exception {
        List<String> message = child.nextMessage();
        assertThat(message.get(0)).isEqualTo(what);
        long[] figures = message.stream().skip(1).mapToLong(Long::parseLong).toArray();
        long resident = child.resident() - baseline;
        System.out.printf(
                "%s: %s MiB live, in files, written, read, charged; %d MiB resident, %d at most%n",
                what,
                message.stream().skip(1).map(SpillingSoakTest::megabytes).toList(),
                resident >> 20,
                (child.highestResident() - baseline) >> 20);
        assertThat(figures[0]).as("living bytes").isGreaterThanOrEqualTo(4 * BUDGET);
        assertThat(figures[1])
                .as("bytes in files")
                .isGreaterThanOrEqualTo(figures[0] - BUDGET)
                .isLessThanOrEqualTo(3 * figures[0]);
        assertThat(figures[2]).as("bytes written to files").isGreaterThanOrEqualTo(figures[1]);
        assertThat(figures[3]).as("bytes read from files").isPositive();
        assertThat(figures[4]).as("charged bytes").isLessThanOrEqualTo(BUDGET + ALLOWANCE);
        assertThat(resident).as("resident bytes").isLessThanOrEqualTo(BUDGET + ALLOWANCE);
        child.goOn();
    }

    private static long megabytes(String bytes) {
        return Long.parseLong(bytes) >> 20;
    }
}
