package io.streamfusion.state.paimon.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.StreamFusionOptions;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.kit.LargeRows;
import io.streamfusion.state.paimon.kit.PaimonTask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Two operators of one slot share its budget: the one that was first does not starve the other. */
@ExtendWith(NoNativeLeaks.class)
class SharedBudgetTest {
    private static final int BUDGET = 32 << 20;
    private static final int KEYS = 3 * BUDGET / LargeRows.BYTES_A_KEY;

    @TempDir Path directory;

    @Test
    void aSecondOperatorGetsMemoryOfTheFirst() throws Exception {
        Path spill = Files.createDirectory(directory.resolve("spill"));
        Configuration options =
                new Configuration()
                        .set(StreamFusionOptions.FIXED_PER_SLOT, new MemorySize(BUDGET))
                        .set(PaimonOptions.SPILL_DIRECTORIES, List.of(spill.toString()));
        try (PaimonTask task = new PaimonTask(directory.resolve("checkpoints"))) {
            LargeRows first = new LargeRows(task.backend(options, task.allKeyGroups()));
            LargeRows second = new LargeRows(task.backend(options, task.allKeyGroups()));
            for (int key = 0; key < KEYS; key++) {
                first.write(key, new Random(key));
            }
            for (int key = 0; key < KEYS; key++) {
                second.write(key, new Random(key));
            }
            for (int key = 0; key < KEYS; key++) {
                assertThat(second.digest(key)).isEqualTo(first.digest(key));
            }
        }
    }
}
