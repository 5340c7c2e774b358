package io.streamfusion.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The file that tells how many records a partition has; looked for a few times a second at most.
 */
final class EndFile {
    /** What {@link #end()} returns while nobody has said where the end is. */
    static final long UNKNOWN = Long.MAX_VALUE;

    private static final long LOOK_EVERY_NANOS = 100_000_000;

    private final Path path;
    private long end = UNKNOWN;
    private long lookedAt = System.nanoTime() - LOOK_EVERY_NANOS;

    EndFile(String path) {
        this.path = Path.of(path);
    }

    /** Returns the number of records of every partition, or {@link #UNKNOWN}. */
    long end() throws IOException {
        long now = System.nanoTime();
        if (end == UNKNOWN && now - lookedAt >= LOOK_EVERY_NANOS) {
            lookedAt = now;
            try {
                end = Long.parseLong(Files.readString(path).trim());
            } catch (NoSuchFileException notYet) {
                return UNKNOWN;
            }
        }
        return end;
    }
}
