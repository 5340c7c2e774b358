package io.streamfusion.state.memory.rss;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the operating system says about the memory of a process that uses the backend. */
@EnabledOnOs(
        value = OS.LINUX,
        disabledReason = "The resident memory of a process is read from /proc, which is Linux.")
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResidentMemoryTest {
    private static final int HEAP_MEGABYTES = 128;
    private static final int BUDGET_MEGABYTES = 256;
    private static final long BUDGET = (long) BUDGET_MEGABYTES << 20;

    /** What everything native may take beyond the budget. */
    private static final long ALLOWANCE = 64L << 20;

    private static final int JOBS = 50;

    /** Jobs after which the process has loaded and compiled what it needs. */
    private static final int WARM_UP_JOBS = 15;

    /** Each job holds more than half of this: a leak of one in ten shows. */
    private static final long FLAT = 32L << 20;

    @Test
    void aFullBudgetTakesNoMoreThanTheBudget() throws Exception {
        try (ChildJvm child =
                ChildJvm.start(
                        StateFiller.class, HEAP_MEGABYTES, Integer.toString(BUDGET_MEGABYTES))) {
            List<String> empty = child.nextMessage();
            assertThat(empty.get(0)).isEqualTo("empty");
            long baseline = child.resident();
            child.goOn();

            List<String> message = child.nextMessage();
            while (message.get(0).equals("full")) {
                // Removals and compaction may not fail, so that they may overdraw the budget.
                assertThat(Long.parseLong(message.get(1)))
                        .as("charged bytes when a write is refused")
                        .isBetween(BUDGET * 8 / 10, BUDGET + ALLOWANCE);
                assertThat(Long.parseLong(message.get(2))).as("checkpointed bytes").isPositive();
                assertThat(message.get(3)).isEqualTo(NativeException.Kind.MEMORY.toString());
                assertThat(String.join(" ", message.subList(4, message.size())))
                        .contains("taskmanager.memory.managed.size");
                assertThat(child.resident() - baseline)
                        .as("resident bytes of a full budget")
                        .isBetween(BUDGET * 7 / 10, BUDGET + ALLOWANCE);
                child.goOn();
                message = child.nextMessage();
            }
            assertThat(message)
                    .as("live objects and charged bytes")
                    .containsExactly("closed", "0", "0");
            assertThat(child.highestResident() - baseline)
                    .as("resident bytes at the highest point")
                    .isLessThanOrEqualTo(BUDGET + ALLOWANCE);
            child.goOn();
        }
    }

    @Test
    void jobsThatComeAndGoLeaveNothing(@TempDir Path checkpoints) throws Exception {
        try (ChildJvm child =
                ChildJvm.start(
                        JobCycles.class,
                        2 * HEAP_MEGABYTES,
                        Integer.toString(JOBS),
                        checkpoints.toString())) {
            long warm = 0;
            for (int job = 1; job <= JOBS; job++) {
                assertThat(child.nextMessage())
                        .as("job, live objects and charged bytes")
                        .containsExactly("ended", Integer.toString(job), "0", "0");
                if (job == WARM_UP_JOBS) {
                    warm = child.resident();
                } else if (job > WARM_UP_JOBS) {
                    assertThat(child.resident() - warm)
                            .as("growth after %d jobs", job)
                            .isLessThanOrEqualTo(FLAT);
                }
                child.goOn();
            }
        }
    }
}
