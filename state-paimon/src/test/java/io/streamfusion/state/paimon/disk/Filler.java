package io.streamfusion.state.paimon.disk;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that leaves as much room on a small disk as a test wants. */
final class Filler {
    /** The unit in which the disk gives room away. */
    static final int PAGE = 4096;

    private final Path file;

    Filler(Path disk) {
        file = disk.resolve("filler");
    }

    /** Takes all but so many pages of what is free. */
    void leave(int pages) throws IOException {
        byte[] page = new byte[PAGE];
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.seek(out.length());
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    out.write(page);
                                }
                            })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(FullDiskTest.FULL);
            out.setLength(Math.max(0, out.length() / PAGE - pages) * PAGE);
        }
    }

    /** Gives everything back. */
    void remove() throws IOException {
        Files.delete(file);
    }
}
