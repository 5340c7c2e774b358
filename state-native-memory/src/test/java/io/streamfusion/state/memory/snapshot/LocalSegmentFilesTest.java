package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalSegmentFilesTest {
    @TempDir Path directory;
    private final LocalSegmentFiles files = new LocalSegmentFiles();

    @Test
    void linksAKnownCopy() throws IOException {
        Path copy = Files.writeString(directory.resolve("a"), "bytes");
        files.add(7, copy);
        Path target = directory.resolve("b");
        assertThat(files.link(7, target)).isTrue();
        Files.delete(copy);
        assertThat(target).hasContent("bytes");
    }

    @Test
    void fallsBackToAnOlderCopy() throws IOException {
        files.add(7, Files.writeString(directory.resolve("older"), "bytes"));
        files.add(7, directory.resolve("pruned"));
        assertThat(files.link(7, directory.resolve("b"))).isTrue();
    }

    @Test
    void knowsNothingOfOtherSegments() throws IOException {
        assertThat(files.link(8, directory.resolve("b"))).isFalse();
        assertThat(directory.resolve("b")).doesNotExist();
    }

    @Test
    void forgetsSegmentsThatAreInNoCheckpoint() throws IOException {
        files.add(7, Files.writeString(directory.resolve("a"), "bytes"));
        files.retain(Set.of(8L));
        assertThat(files.link(7, directory.resolve("b"))).isFalse();
    }
}
