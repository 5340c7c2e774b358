package io.streamfusion.state.paimon.catalog;

import io.streamfusion.state.memory.restore.RestoreSource;
import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import io.streamfusion.state.memory.snapshot.ForeignCheckpointException;
import io.streamfusion.state.memory.snapshot.ManifestReader;
import io.streamfusion.state.paimon.catalog.decode.BackendStates;
import io.streamfusion.state.paimon.catalog.decode.StateShape;
import io.streamfusion.state.paimon.catalog.decode.StateShapes;
import io.streamfusion.state.paimon.catalog.source.TablePart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointKeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/** The keyed state of one operator in one checkpoint; its manifests are read when asked for. */
final class OperatorStates {
    private static final String SNAPSHOT = "snapshot-";
    private static final String SCHEMA = "schema-";

    private final OperatorState operator;
    private final List<KeyedStateHandle> handles;
    private final String checkpoint;
    private final ClassLoader classLoader;
    private Map<String, StateTable> tables = Map.of();
    private boolean read;

    /**
     * @param checkpoint its directory, for messages
     */
    OperatorStates(OperatorState operator, String checkpoint, ClassLoader classLoader) {
        this.operator = operator;
        this.checkpoint = checkpoint;
        this.classLoader = classLoader;
        this.handles = new ArrayList<>();
        for (OperatorSubtaskState subtask : operator.getStates()) {
            handles.addAll(subtask.getManagedKeyedState());
        }
    }

    boolean hasKeyedState() {
        return !handles.isEmpty();
    }

    OperatorState operator() {
        return operator;
    }

    /** Its name, or what stands for it. */
    String name() {
        return operator.getOperatorName()
                .filter(name -> !name.isBlank())
                .or(operator::getOperatorUid)
                .orElseGet(this::hash);
    }

    /** The hash of its uid. */
    String hash() {
        return operator.getOperatorID().toHexString();
    }

    /** Bytes that its keyed state refers to. */
    long bytes() {
        return handles.stream().mapToLong(KeyedStateHandle::getStateSize).sum();
    }

    /** Fails when the first subtask's state is not ours or cannot be read. */
    void probe() throws IOException {
        readManifest(handles.get(0));
    }

    /** Its states by name, in the order of their registration. */
    synchronized Map<String, StateTable> tables() throws IOException {
        if (!read) {
            tables = readTables();
            read = true;
        }
        return tables;
    }

    private Map<String, StateTable> readTables() throws IOException {
        Map<BackendStates, List<StateShape>> shapes = new HashMap<>();
        Map<BackendStates, BackendStates> known = new HashMap<>();
        Map<String, StateTable> result = new LinkedHashMap<>();
        for (KeyedStateHandle handle : handles) {
            CheckpointManifest manifest = readManifest(handle);
            BackendStates own = BackendStates.of(manifest);
            // Parts share the object, and so its bytes in a job.
            BackendStates states = known.computeIfAbsent(own, s -> s);
            List<StateShape> ofPart =
                    shapes.computeIfAbsent(states, s -> StateShapes.of(s, classLoader));
            Files files = Files.of((IncrementalRemoteKeyedStateHandle) handle);
            for (int i = 0; i < ofPart.size(); i++) {
                StateShape shape = ofPart.get(i);
                TablePart part =
                        new TablePart(
                                files.table().toString(),
                                files.snapshot(),
                                files.schema(),
                                manifest.states().get(i).id(),
                                manifest.firstKeyGroup(),
                                manifest.lastKeyGroup(),
                                states,
                                i);
                StateTable table =
                        result.computeIfAbsent(
                                shape.name(),
                                name -> new StateTable(title(name), shape, new ArrayList<>()));
                if (table.shape().kind() != shape.kind()) {
                    throw new IOException(
                            title(shape.name())
                                    + " is of kind "
                                    + table.shape().kind()
                                    + " in one subtask and of kind "
                                    + shape.kind()
                                    + " in another.");
                }
                table.parts().add(part);
            }
        }
        return result;
    }

    private String title(String state) {
        return "state '" + state + "' of operator '" + name() + "' in " + checkpoint;
    }

    private CheckpointManifest readManifest(KeyedStateHandle handle) throws IOException {
        if (!(handle instanceof IncrementalRemoteKeyedStateHandle ours)) {
            throw unreadable(why(handle), null);
        }
        StreamStateHandle file = ours.getMetaDataStateHandle();
        String name = RestoreSource.describe(file);
        CheckpointManifest manifest;
        try (FSDataInputStream in = file.openInputStream()) {
            manifest = ManifestReader.read(name, in);
        } catch (ForeignCheckpointException e) {
            throw unreadable(name + " was written by another state backend", e);
        } catch (IOException e) {
            throw unreadable("the manifest " + name + " cannot be read: " + e.getMessage(), e);
        }
        if (manifest.contents().form() != CheckpointManifest.Form.TABLE) {
            throw unreadable(
                    name + " lists " + manifest.contents().form().title() + ", not a table", null);
        }
        return manifest;
    }

    private static String why(KeyedStateHandle handle) {
        if (handle instanceof SavepointKeyedStateHandle) {
            return "it is a savepoint in canonical format; take one in native format (flink"
                    + " savepoint --type native)";
        }
        if (handle instanceof ChangelogStateBackendHandle) {
            return "it was written with state.changelog.enabled; take a savepoint in native format"
                    + " (flink savepoint --type native)";
        }
        return "a " + handle.getClass().getSimpleName() + " is of another state backend";
    }

    private IOException unreadable(String why, IOException cause) {
        return new IOException(
                "The state of operator '"
                        + name()
                        + "' in "
                        + checkpoint
                        + " cannot be queried: "
                        + why
                        + ".",
                cause);
    }

    /**
     * Where a subtask's table is.
     *
     * @param table its directory
     * @param snapshot number of the snapshot
     * @param schema number of the schema
     */
    private record Files(Path table, long snapshot, long schema) {
        static Files of(IncrementalRemoteKeyedStateHandle handle) throws IOException {
            Path snapshot = null;
            OptionalLong schema = OptionalLong.empty();
            for (HandleAndLocalPath file : handle.getPrivateState()) {
                if (file.getLocalPath().startsWith(SNAPSHOT)) {
                    snapshot = file.getHandle().maybeGetPath().orElse(null);
                } else if (file.getLocalPath().startsWith(SCHEMA)) {
                    schema =
                            OptionalLong.of(
                                    Long.parseLong(file.getLocalPath().substring(SCHEMA.length())));
                }
            }
            if (snapshot == null || schema.isEmpty()) {
                throw new IOException(
                        "The handle "
                                + handle
                                + " has no file "
                                + SNAPSHOT
                                + "<number> or "
                                + SCHEMA
                                + "<number>.");
            }
            return new Files(
                    snapshot.getParent().getParent(),
                    Long.parseLong(snapshot.getName().substring(SNAPSHOT.length())),
                    schema.getAsLong());
        }
    }
}
