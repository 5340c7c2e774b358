package io.streamfusion.state.paimon.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointDirectoryTest {
    private static final String JOB = "0123456789abcdef0123456789abcdef";
    private static final String OTHER_JOB = "9876543210abcdef0123456789abcdef";

    @TempDir Path root;

    private Path completed(String directory) throws IOException {
        Path path = root.resolve(directory);
        Files.createDirectories(path);
        Files.write(path.resolve("_metadata"), new byte[] {1});
        return path;
    }

    private static List<CheckpointDirectory.Found> find(Path path, Long wanted) throws IOException {
        return new CheckpointDirectory(
                        new org.apache.flink.core.fs.Path(path.toUri()),
                        Optional.ofNullable(wanted))
                .find();
    }

    private static List<String> selected(Path path, Long wanted) throws IOException {
        return find(path, wanted).stream()
                .filter(CheckpointDirectory.Found::selected)
                .map(f -> f.job().orElse("-") + " " + f.directory().getName())
                .toList();
    }

    @Test
    void theLatestCompletedCheckpointOfAJob() throws IOException {
        completed(JOB + "/chk-9");
        completed(JOB + "/chk-10");
        Files.createDirectories(root.resolve(JOB + "/chk-11"));
        Files.createDirectories(root.resolve(JOB + "/shared"));

        assertThat(selected(root.resolve(JOB), null)).containsExactly(JOB + " chk-10");
        assertThat(selected(root.resolve(JOB), 9L)).containsExactly(JOB + " chk-9");
        assertThat(find(root.resolve(JOB), null)).hasSize(2);
        assertThatThrownBy(() -> find(root.resolve(JOB), 11L))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no completed checkpoint 11 in")
                .hasMessageContaining("chk-10");
    }

    @Test
    void severalJobs() throws IOException {
        completed(JOB + "/chk-1");
        completed(OTHER_JOB + "/chk-4");

        assertThat(selected(root, null)).containsExactly(JOB + " chk-1", OTHER_JOB + " chk-4");
    }

    @Test
    void oneCheckpoint() throws IOException {
        Path checkpoint = completed(JOB + "/chk-1");

        assertThat(selected(checkpoint, null)).containsExactly(JOB + " chk-1");
        assertThat(selected(checkpoint.resolve("_metadata"), 1L)).containsExactly(JOB + " chk-1");
        assertThatThrownBy(() -> find(checkpoint, 2L))
                .hasMessageContaining("is one checkpoint, and not checkpoint 2");
    }

    @Test
    void aSavepoint() throws IOException {
        Path savepoint = completed("savepoint-012345-abcdef");

        assertThat(selected(savepoint, null)).containsExactly("- savepoint-012345-abcdef");
    }

    @Test
    void nothing() {
        assertThatThrownBy(() -> find(root, null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no completed checkpoint in " + "file:" + root);
        assertThatThrownBy(() -> find(root.resolve("missing"), null))
                .hasMessageContaining("There is no directory")
                .hasMessageContaining("missing");
    }
}
