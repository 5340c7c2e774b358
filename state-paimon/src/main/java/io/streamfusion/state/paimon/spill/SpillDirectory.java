package io.streamfusion.state.paimon.spill;

import io.streamfusion.state.paimon.PaimonOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A directory that one backend alone spills to; removed with what is in it on close. */
public final class SpillDirectory implements Closeable {
    /** What a user can do when files in it cannot be written or read. */
    public static final String ADVICE =
            "Make room on that disk, or set "
                    + PaimonOptions.SPILL_DIRECTORIES.key()
                    + " (by default "
                    + CoreOptions.TMP_DIRS.key()
                    + ") to directories of larger ones.";

    private static final Logger LOG = LoggerFactory.getLogger(SpillDirectory.class);
    private static final String PREFIX = "streamfusion-spill-";

    /** Of the process, so that the backends of all its tasks are spread over the disks. */
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final Path path;

    private SpillDirectory(Path path) {
        this.path = path;
    }

    /**
     * Creates a directory below one of these, in turn; one that cannot be used is passed over.
     *
     * @throws IOException when none of them can be used
     */
    public static SpillDirectory create(List<String> parents) throws IOException {
        IOException failure = null;
        int first = Math.floorMod(NEXT.getAndIncrement(), parents.size());
        for (int i = 0; i < parents.size(); i++) {
            String parent = parents.get((first + i) % parents.size());
            try {
                Path path = Path.of(parent).toAbsolutePath().resolve(PREFIX + UUID.randomUUID());
                return new SpillDirectory(Files.createDirectories(path));
            } catch (IOException e) {
                LOG.warn("State cannot be spilled to {}.", parent, e);
                if (failure == null) {
                    failure = new IOException("State cannot be spilled to any of " + parents, e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        throw failure;
    }

    /** The directory, absolute. */
    public Path path() {
        return path;
    }

    /** Removes the directory; what cannot be removed is logged. */
    @Override
    public void close() {
        try {
            FileUtils.deleteDirectory(path.toFile());
        } catch (IOException e) {
            LOG.warn("The spill directory {} stays.", path, e);
        }
    }
}
