package io.streamfusion.state.paimon.commit;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.core.fs.EntropyInjector;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;

/**
 * The directory of a table in checkpoint storage.
 *
 * @param directory of the table
 * @param exclusive whether the table has one snapshot only, which goes with its directory
 * @param root directory of the checkpoint if its files may be moved together with it, else empty
 */
record TableLocation(Path directory, boolean exclusive, Optional<Path> root) {
    private static final String FOLDER = "streamfusion";

    /** Whether the storage has directories at all. */
    static boolean isKnown(CheckpointStreamFactory storage) {
        return storage instanceof FsCheckpointStreamFactory;
    }

    /**
     * Where the table of a backend goes.
     *
     * @param storage one that {@link #isKnown}
     * @param scope exclusive: into the directory of the checkpoint or savepoint
     * @param table name of the table, unique among all attempts of all subtasks
     */
    static TableLocation of(
            CheckpointStreamFactory storage, CheckpointedStateScope scope, String table)
            throws IOException {
        Path target = ((FsCheckpointStreamFactory) storage).getTargetPath(scope);
        FileSystem fileSystem = target.getFileSystem();
        boolean scattered = EntropyInjector.isEntropyInjecting(fileSystem, target);
        Path parent = EntropyInjector.removeEntropyMarkerIfPresent(fileSystem, target);
        boolean exclusive = scope == CheckpointedStateScope.EXCLUSIVE;
        boolean movable = exclusive && !scattered;
        return new TableLocation(
                // Nobody could delete a folder around the tables of several subtasks.
                exclusive
                        ? new Path(parent, FOLDER + "-" + table)
                        : new Path(new Path(parent, FOLDER), table),
                exclusive,
                movable ? Optional.of(parent) : Optional.empty());
    }

    /**
     * The directory of the table that a file is in.
     *
     * @return empty when it is in none, or in one of a single checkpoint
     */
    static Optional<Path> sharedTable(Path file) {
        return Optional.ofNullable(file.getParent())
                .map(Path::getParent)
                .filter(
                        table ->
                                table.getParent() != null
                                        && table.getParent().getName().equals(FOLDER));
    }

    /** The directory as Paimon names it. */
    org.apache.paimon.fs.Path paimon() {
        return new org.apache.paimon.fs.Path(directory.toUri());
    }

    /** The folder of a bucket's data files. */
    Path bucket(int bucket) {
        return new Path(directory, "bucket-" + bucket);
    }

    /** The handle of a file in this directory. */
    FileStateHandle handle(Path file, long bytes) {
        return root.<FileStateHandle>map(
                        from ->
                                new RelativeFileStateHandle(
                                        file,
                                        from.toUri().relativize(file.toUri()).getPath(),
                                        bytes))
                .orElseGet(() -> new FileStateHandle(file, bytes));
    }
}
