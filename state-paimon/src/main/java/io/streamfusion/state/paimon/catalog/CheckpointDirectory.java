package io.streamfusion.state.paimon.catalog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;

/**
 * The place where a user says that checkpoints are.
 *
 * @param path a directory of jobs, a job's directory, a checkpoint or a savepoint
 * @param wanted number of the wanted checkpoint; empty: the latest completed one
 */
record CheckpointDirectory(Path path, Optional<Long> wanted) {
    private static final String METADATA = AbstractFsCheckpointStorageAccess.METADATA_FILE_NAME;
    private static final Pattern CHECKPOINT =
            Pattern.compile(
                    Pattern.quote(AbstractFsCheckpointStorageAccess.CHECKPOINT_DIR_PREFIX)
                            + "(\\d+)");
    private static final Pattern JOB = Pattern.compile("[0-9a-f]{32}");

    CheckpointDirectory {
        path = new Path(path.toString()); // without a slash at its end
    }

    /**
     * A completed checkpoint or savepoint.
     *
     * @param job identifier of the job, if the directories tell
     * @param number its number, if the directory tells
     * @param directory the directory with its metadata
     * @param completed when, in milliseconds of the epoch
     * @param selected whether it is the one that tables show
     */
    record Found(
            Optional<String> job,
            OptionalLong number,
            Path directory,
            long completed,
            boolean selected) {}

    /**
     * Looks for completed checkpoints.
     *
     * @return by job and number; of each job, one or none is selected
     * @throws IOException when there is no selected one at all
     */
    List<Found> find() throws IOException {
        FileSystem fileSystem = path.getFileSystem();
        if (!fileSystem.exists(path)) {
            throw new IOException("There is no directory " + path + ".");
        }
        if (path.getName().equals(METADATA)) {
            return List.of(single(fileSystem, path.getParent()));
        }
        if (fileSystem.exists(new Path(path, METADATA))) {
            return List.of(single(fileSystem, path));
        }
        List<Path> checkpoints = directories(fileSystem, path, CHECKPOINT);
        List<Found> found = new ArrayList<>();
        if (!checkpoints.isEmpty()) {
            found.addAll(ofJob(fileSystem, jobOf(path), checkpoints));
        } else {
            for (Path job : directories(fileSystem, path, JOB)) {
                found.addAll(
                        ofJob(
                                fileSystem,
                                Optional.of(job.getName()),
                                directories(fileSystem, job, CHECKPOINT)));
            }
        }
        if (found.stream().noneMatch(Found::selected)) {
            throw new IOException(
                    "There is no completed checkpoint "
                            + wanted.map(number -> number + " ").orElse("")
                            + "in "
                            + path
                            + ": expected a job's checkpoint directory, one checkpoint or a"
                            + " savepoint; completed are "
                            + found.stream().map(Found::directory).toList()
                            + ".");
        }
        return found;
    }

    private Found single(FileSystem fileSystem, Path directory) throws IOException {
        OptionalLong number = numberOf(directory);
        if (wanted.isPresent() && (number.isEmpty() || number.getAsLong() != wanted.get())) {
            throw new IOException(
                    directory + " is one checkpoint, and not checkpoint " + wanted.get() + ".");
        }
        return new Found(
                number.isPresent() ? jobOf(directory.getParent()) : Optional.empty(),
                number,
                directory,
                completed(fileSystem, directory),
                true);
    }

    private List<Found> ofJob(FileSystem fileSystem, Optional<String> job, List<Path> directories)
            throws IOException {
        List<Path> completed = new ArrayList<>();
        for (Path directory : directories) {
            if (fileSystem.exists(new Path(directory, METADATA))) {
                completed.add(directory);
            }
        }
        completed.sort(Comparator.comparingLong(d -> numberOf(d).orElseThrow()));
        List<Found> found = new ArrayList<>();
        for (Path directory : completed) {
            boolean last = found.size() == completed.size() - 1;
            long number = numberOf(directory).orElseThrow();
            found.add(
                    new Found(
                            job,
                            OptionalLong.of(number),
                            directory,
                            completed(fileSystem, directory),
                            wanted.map(w -> w == number).orElse(last)));
        }
        return found;
    }

    private static long completed(FileSystem fileSystem, Path directory) throws IOException {
        return fileSystem.getFileStatus(new Path(directory, METADATA)).getModificationTime();
    }

    private static Optional<String> jobOf(Path directory) {
        return Optional.ofNullable(directory)
                .map(Path::getName)
                .filter(name -> JOB.matcher(name).matches());
    }

    private static OptionalLong numberOf(Path directory) {
        Matcher name = CHECKPOINT.matcher(directory.getName());
        return name.matches()
                ? OptionalLong.of(Long.parseLong(name.group(1)))
                : OptionalLong.empty();
    }

    private static List<Path> directories(FileSystem fileSystem, Path parent, Pattern name)
            throws IOException {
        FileStatus[] children = fileSystem.listStatus(parent);
        return children == null
                ? List.of()
                : Arrays.stream(children)
                        .filter(FileStatus::isDir)
                        .map(FileStatus::getPath)
                        .filter(child -> name.matcher(child.getName()).matches())
                        .sorted(Comparator.comparing(Path::toString))
                        .collect(Collectors.toList());
    }
}
