package io.streamfusion.state.memory.snapshot;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.runtime.state.DirectoryStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProvider;
import org.apache.flink.runtime.state.SnapshotDirectory;
import org.apache.flink.util.FileUtils;
import org.apache.flink.util.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copy of one checkpoint on the local disk. It is an optimisation: whatever goes wrong with it
 * ends the copy with a warning, never the checkpoint. One thread.
 */
public final class LocalSnapshot {
    private static final Logger LOG = LoggerFactory.getLogger(LocalSnapshot.class);
    private static final String UNNAMED = "unnamed";

    private final LocalSegmentFiles files;
    private final Map<Long, Path> present = new LinkedHashMap<>();
    private Optional<SnapshotDirectory> directory;
    private Optional<OutputStream> out = Optional.empty();

    private LocalSnapshot(LocalSegmentFiles files, Optional<SnapshotDirectory> directory) {
        this.files = files;
        this.directory = directory;
    }

    /** A copy that is not made. */
    static LocalSnapshot none(LocalSegmentFiles files) {
        return new LocalSnapshot(files, Optional.empty());
    }

    /**
     * Begins a copy where the configuration says. The directory carries the backend's identity,
     * because all operators of a task share the directory of a checkpoint.
     */
    static LocalSnapshot begin(
            LocalRecoveryConfig config,
            LocalSegmentFiles files,
            long checkpointId,
            UUID backendId) {
        LocalSnapshotDirectoryProvider provider =
                config.getLocalStateDirectoryProvider()
                        .orElseThrow(LocalRecoveryConfig.localRecoveryNotEnabled());
        File parent = provider.subtaskSpecificCheckpointDirectory(checkpointId);
        Path path = parent.toPath().resolve(backendId.toString().replace("-", ""));
        try {
            FileUtils.deleteDirectory(path.toFile());
            Files.createDirectories(path);
            return new LocalSnapshot(files, Optional.of(SnapshotDirectory.permanent(path)));
        } catch (IOException e) {
            LOG.warn("Checkpoint {} gets no local copy: cannot create {}.", checkpointId, path, e);
            return none(files);
        }
    }

    /** Whether the copy is still being made. */
    boolean isActive() {
        return directory.isPresent();
    }

    /** Takes over a file of an earlier checkpoint, if a local copy of it is left. */
    public void link(StateFile file) {
        if (directory.isPresent()) {
            Path target = fileOf(file.name());
            try {
                if (files.link(file.number(), target)) {
                    present.put(file.number(), target);
                }
            } catch (IOException e) {
                // Its checkpoint may just have been pruned: the remote file serves instead.
                LOG.debug("{} has no usable local copy.", file.name(), e);
            }
        }
    }

    /** Begins the copy of a new file, whose name need not be known yet. */
    public void open() {
        if (directory.isPresent()) {
            try {
                out = Optional.of(Files.newOutputStream(unnamedFile()));
            } catch (IOException e) {
                giveUp(e);
            }
        }
    }

    /** Writes bytes of the file that was opened last. */
    public void write(byte[] bytes, int length) {
        if (out.isPresent()) {
            try {
                out.get().write(bytes, 0, length);
            } catch (IOException e) {
                giveUp(e);
            }
        }
    }

    /** Ends the file that was opened last. */
    public void close(long number, String name) {
        if (out.isPresent()) {
            try {
                out.get().close();
                out = Optional.empty();
                Path target = fileOf(name);
                Files.move(unnamedFile(), target);
                present.put(number, target);
            } catch (IOException e) {
                giveUp(e);
            }
        }
    }

    /** Copies a small file that no later checkpoint refers to. */
    public void copy(String name, byte[] content) {
        if (directory.isPresent()) {
            try {
                Files.write(fileOf(name), content);
            } catch (IOException e) {
                giveUp(e);
            }
        }
    }

    /** The finished copy; empty when there is none. */
    Optional<DirectoryStateHandle> complete() {
        if (directory.isEmpty()) {
            return Optional.empty();
        }
        try {
            DirectoryStateHandle handle = directory.get().completeSnapshotAndGetHandle();
            present.forEach(files::add);
            return Optional.ofNullable(handle);
        } catch (IOException e) {
            giveUp(e);
            return Optional.empty();
        }
    }

    /** Removes what was copied. */
    void discard() {
        out.ifPresent(IOUtils::closeQuietly);
        out = Optional.empty();
        directory.ifPresent(
                snapshot -> {
                    try {
                        FileUtils.deleteDirectory(snapshot.getDirectory().toFile());
                    } catch (IOException e) {
                        LOG.warn("Cannot remove the local copy {}.", snapshot, e);
                    }
                });
        directory = Optional.empty();
        present.clear();
    }

    private Path unnamedFile() {
        return directory.orElseThrow().getDirectory().resolve(UNNAMED);
    }

    private Path fileOf(String name) {
        return directory.orElseThrow().getDirectory().resolve(name);
    }

    private void giveUp(IOException cause) {
        LOG.warn("The local copy of a checkpoint in {} is given up.", directory, cause);
        discard();
    }
}
