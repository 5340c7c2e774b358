package io.streamfusion.state.paimon.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.state.memory.snapshot.kit.Contents;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.paimon.kit.PaimonTask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tables restored by other subtasks than those that wrote them; and damaged ones. */
@ExtendWith(NoNativeLeaks.class)
class TableRescaleTest {
    private static final List<Integer> KEYS = IntStream.range(0, 400).boxed().toList();
    private static final KeyGroupRange LOW = KeyGroupRange.of(0, 50);
    private static final KeyGroupRange HIGH = KeyGroupRange.of(51, 127);

    @TempDir Path directory;
    private PaimonTask task;

    @BeforeEach
    void createTask() {
        task = new PaimonTask(directory);
    }

    @AfterEach
    void closeTask() throws Exception {
        task.close();
    }

    private static List<Integer> keysOf(KeyGroupRange range) {
        return KEYS.stream()
                .filter(key -> range.contains(KeyGroupRangeAssignment.assignToKeyGroup(key, 128)))
                .toList();
    }

    private KeyedStateHandle written(KeyGroupRange range, long seed) throws Exception {
        CheckpointableKeyedStateBackend<Integer> backend = task.backend(new Configuration(), range);
        Contents<Integer> contents = Contents.of(backend);
        contents.write(keysOf(range), seed);
        task.checkpoint(backend, 1);
        ((org.apache.flink.api.common.state.CheckpointListener) backend)
                .notifyCheckpointComplete(1);
        contents.change(keysOf(range), seed + 1);
        KeyedStateHandle handle = task.checkpoint(backend, 2);
        expected.putAll(contents.drain(keysOf(range)));
        return handle;
    }

    private final Map<String, String> expected = new TreeMap<>();

    @Test
    void splitsAndJoins() throws Exception {
        KeyedStateHandle whole = written(task.allKeyGroups(), 1);
        List<KeyedStateHandle> halves = new ArrayList<>();
        for (KeyGroupRange range : List.of(LOW, HIGH)) {
            CheckpointableKeyedStateBackend<Integer> half =
                    task.backend(new Configuration(), range, whole);
            halves.add(task.checkpoint(half, 3));
        }
        CheckpointableKeyedStateBackend<Integer> joined =
                task.backend(halves.get(0), halves.get(1));

        assertThat(Contents.of(joined).drain(KEYS)).isEqualTo(expected);
    }

    @Test
    void everyDamageOfADataFileIsFound() throws Exception {
        KeyedStateHandle handle = written(task.allKeyGroups(), 1);
        Path file =
                task.files("shared").stream()
                        .filter(path -> path.getFileName().toString().startsWith("data-"))
                        .findFirst()
                        .orElseThrow();
        byte[] intact = Files.readAllBytes(file);
        for (int at = 4; at < intact.length; at += intact.length / 40) {
            byte[] damaged = intact.clone();
            damaged[at] ^= 0x10;
            Files.write(file, damaged);
            assertThatThrownBy(() -> task.backend(handle))
                    .as("byte %d of %d", at, intact.length)
                    .hasStackTraceContaining(file.getFileName().toString());
        }
        Files.write(file, intact);
        assertThat(Contents.of(task.backend(handle)).drain(KEYS)).isEqualTo(expected);
    }
}
