package io.streamfusion.state.memory.restore;

import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import io.streamfusion.state.memory.snapshot.ManifestReader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.IOUtils;

/**
 * One handle of a checkpoint: its manifest and the places of its files. A file of a local handle is
 * read from the local disk if it is there, else from remote storage.
 *
 * @param manifest what the handle consists of
 * @param description the manifest's file, for messages
 * @param files the remote files by name
 * @param shared those of them that are shared with other checkpoints
 * @param localDirectory the directory of a local handle
 */
public record RestoreSource(
        CheckpointManifest manifest,
        String description,
        Map<String, StreamStateHandle> files,
        Map<String, StreamStateHandle> shared,
        Optional<java.nio.file.Path> localDirectory) {
    public RestoreSource {
        files = Map.copyOf(files);
        shared = Map.copyOf(shared);
    }

    /**
     * Reads the manifest of a handle.
     *
     * @throws IOException when it is foreign or damaged
     */
    static RestoreSource open(IncrementalKeyedStateHandle handle, CloseableRegistry cancellation)
            throws IOException {
        CheckpointManifest manifest = readManifest(handle, cancellation);
        Map<String, StreamStateHandle> shared = byName(handle.getSharedStateHandles());
        Map<String, StreamStateHandle> all = new HashMap<>(shared);
        if (handle instanceof IncrementalRemoteKeyedStateHandle remote) {
            all.putAll(byName(remote.getPrivateState()));
        }
        Optional<java.nio.file.Path> directory =
                handle instanceof IncrementalLocalKeyedStateHandle local
                        ? Optional.of(local.getDirectoryStateHandle().getDirectory())
                        : Optional.empty();
        return new RestoreSource(
                manifest, describe(handle.getMetaDataStateHandle()), all, shared, directory);
    }

    /**
     * Where to read a file.
     *
     * @param bytes its length in the manifest
     * @throws IOException when it is missing or has another length
     */
    public StreamStateHandle locate(String name, long bytes) throws IOException {
        StreamStateHandle file = files.get(name);
        if (localDirectory.isPresent() && Files.exists(localDirectory.get().resolve(name))) {
            java.nio.file.Path local = localDirectory.get().resolve(name);
            file = new FileStateHandle(new Path(local.toUri()), Files.size(local));
        }
        if (file == null) {
            throw new IOException(
                    "The file "
                            + name
                            + " of checkpoint "
                            + manifest.checkpointId()
                            + " is not among those of its handle; its manifest is "
                            + description
                            + ".");
        }
        if (file.getStateSize() != bytes) {
            throw new CorruptCheckpointException(
                    describe(file),
                    Math.min(file.getStateSize(), bytes),
                    "the file has " + file.getStateSize() + " bytes, its manifest says " + bytes);
        }
        return file;
    }

    private static CheckpointManifest readManifest(
            IncrementalKeyedStateHandle handle, CloseableRegistry cancellation) throws IOException {
        StreamStateHandle file = handle.getMetaDataStateHandle();
        FSDataInputStream in = file.openInputStream();
        try {
            cancellation.registerCloseable(in);
            return ManifestReader.read(describe(file), in);
        } finally {
            cancellation.unregisterCloseable(in);
            IOUtils.closeQuietly(in);
        }
    }

    private static Map<String, StreamStateHandle> byName(List<HandleAndLocalPath> files) {
        Map<String, StreamStateHandle> result = new HashMap<>();
        files.forEach(file -> result.put(file.getLocalPath(), file.getHandle()));
        return result;
    }

    /** The file as a person would look for it. */
    public static String describe(StreamStateHandle file) {
        return file.maybeGetPath().map(Path::toString).orElseGet(file::toString);
    }
}
