package io.streamfusion.state.paimon.catalog;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;

/**
 * The operators of the selected checkpoints.
 *
 * @param found all completed checkpoints
 * @param databases by name
 */
record CatalogContents(List<CheckpointDirectory.Found> found, Map<String, Database> databases) {

    /**
     * An operator with keyed state.
     *
     * @param checkpoint the one that is shown
     */
    record Database(CheckpointDirectory.Found checkpoint, OperatorStates operator) {}

    /**
     * Reads the metadata of the selected checkpoints.
     *
     * @param reserved a name that no database gets
     * @param classLoader finds the user's classes
     */
    static CatalogContents load(
            List<CheckpointDirectory.Found> found, String reserved, ClassLoader classLoader)
            throws IOException {
        List<CheckpointDirectory.Found> selected =
                found.stream().filter(CheckpointDirectory.Found::selected).toList();
        List<Database> operators = new ArrayList<>();
        List<DatabaseNames.Operator> toName = new ArrayList<>();
        for (CheckpointDirectory.Found checkpoint : selected) {
            for (OperatorStates operator : operators(checkpoint.directory(), classLoader)) {
                operators.add(new Database(checkpoint, operator));
                toName.add(
                        new DatabaseNames.Operator(
                                selected.size() > 1 ? checkpoint.job() : Optional.empty(),
                                operator.name(),
                                operator.hash()));
            }
        }
        List<String> names = DatabaseNames.of(toName, reserved);
        Map<String, Database> databases = new LinkedHashMap<>();
        for (int i = 0; i < operators.size(); i++) {
            databases.put(names.get(i), operators.get(i));
        }
        return new CatalogContents(found, databases);
    }

    private static List<OperatorStates> operators(Path checkpoint, ClassLoader classLoader)
            throws IOException {
        Path file = new Path(checkpoint, AbstractFsCheckpointStorageAccess.METADATA_FILE_NAME);
        CheckpointMetadata metadata;
        try (FSDataInputStream in = file.getFileSystem().open(file);
                DataInputStream data = new DataInputStream(in)) {
            metadata = Checkpoints.loadCheckpointMetadata(data, classLoader, checkpoint.toString());
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "The metadata of a checkpoint, " + file + ", cannot be read: " + e.getMessage(),
                    e);
        }
        List<OperatorStates> operators = new ArrayList<>();
        for (OperatorState state : metadata.getOperatorStates()) {
            OperatorStates operator = new OperatorStates(state, checkpoint.toString(), classLoader);
            if (operator.hasKeyedState()) {
                operator.probe();
                operators.add(operator);
            }
        }
        operators.sort(
                Comparator.comparing(OperatorStates::name).thenComparing(OperatorStates::hash));
        return operators;
    }
}
