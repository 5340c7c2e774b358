package io.streamfusion.state.paimon.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.model.HistoryBackend;
import io.streamfusion.state.memory.model.ModelHistoryTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The histories of the memory backend on checkpoints that are tables, every other one with less
 * memory than its rows need.
 */
class PaimonModelHistoryTest extends ModelHistoryTest {
    private PaimonHistoryBackend backend;

    @TempDir static Path spillDirectory;

    @Override
    protected HistoryBackend backend() {
        backend = new PaimonHistoryBackend(spillDirectory);
        return backend;
    }

    @Override
    protected int histories() {
        return 500;
    }

    @Test
    @Order(3)
    @Override
    protected void randomHistories() {
        long before = backend.spilledBytes();
        super.randomHistories();
        // A few histories may well fit the memory.
        if (count() >= histories()) {
            assertThat(backend.spilledBytes())
                    .as("bytes of rows that went to files")
                    .isGreaterThan(before);
        }
    }
}
