package io.streamfusion.state.paimon.commit;

import io.streamfusion.state.memory.snapshot.StateFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of former attempts that a restored checkpoint refers to. Flink deletes their files one
 * by one and knows nothing of their directories, which are removed here once nothing is in them.
 * Files are left alone. May be used by several threads.
 */
final class FormerTables {
    private static final Logger LOG = LoggerFactory.getLogger(FormerTables.class);

    private final Set<Path> tables = ConcurrentHashMap.newKeySet();

    /** Remembers the tables that these files of a restored checkpoint are in. */
    void add(Collection<StreamStateHandle> files) {
        files.forEach(file -> tableOf(file).ifPresent(tables::add));
    }

    /**
     * Removes the directories of tables that are empty by now; they may be so after a later
     * checkpoint only. Tables of another job are forgotten: that one may be running, and miss a
     * directory that it has just made.
     *
     * @param current the table of this attempt; those of one job lie beside each other
     * @param needed files of this and of former attempts that are still referred to
     */
    void removeEmpty(Path current, Collection<StateFile> needed) {
        tables.removeIf(table -> !table.getParent().equals(current.getParent()));
        if (tables.isEmpty()) {
            return;
        }
        Set<Path> candidates = new HashSet<>(tables);
        candidates.remove(current);
        needed.forEach(file -> tableOf(file.handle()).ifPresent(candidates::remove));
        for (Path table : candidates) {
            try {
                if (isGone(table)) {
                    tables.remove(table);
                }
            } catch (IOException | RuntimeException e) {
                // Another subtask may be at it, too. No checkpoint fails for what the next can do.
                LOG.debug("Cannot remove the directory {} yet.", table, e);
            }
        }
    }

    private static Optional<Path> tableOf(StreamStateHandle handle) {
        return handle instanceof FileStateHandle file
                ? TableLocation.sharedTable(file.getFilePath())
                : Optional.empty();
    }

    /** Removes the directory if nothing but empty folders is in it. */
    private static boolean isGone(Path table) throws IOException {
        FileSystem fileSystem = table.getFileSystem();
        List<Path> folders = new ArrayList<>();
        for (FileStatus child : list(fileSystem, table)) {
            Path folder = new Path(table, child.getPath().getName());
            if (!child.isDir() || list(fileSystem, folder).length > 0) {
                return false;
            }
            folders.add(folder);
        }
        folders.add(table);
        for (Path folder : folders) {
            fileSystem.delete(folder, false);
        }
        return true;
    }

    private static FileStatus[] list(FileSystem fileSystem, Path directory) throws IOException {
        try {
            FileStatus[] children = fileSystem.listStatus(directory);
            return children == null ? new FileStatus[0] : children;
        } catch (FileNotFoundException e) {
            return new FileStatus[0];
        }
    }
}
