package io.streamfusion.state.memory.restore;

import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import io.streamfusion.state.memory.snapshot.ManifestReader;
import io.streamfusion.state.memory.snapshot.SegmentFile;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
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
 * One handle of a checkpoint of this backend: its manifest and the places of its segment files. A
 * segment of a local handle is read from the local disk if it is there, else from remote storage.
 *
 * @param manifest what the handle consists of
 * @param segments its segments, oldest first, each with the file to read
 * @param sharedSegments its segments with their remote files; empty unless all of them are shared
 * @param localDirectory the directory of a local handle
 */
record RestoreSource(
        CheckpointManifest manifest,
        List<SegmentFile> segments,
        Optional<List<SegmentFile>> sharedSegments,
        Optional<java.nio.file.Path> localDirectory) {

    /**
     * Reads the manifest of a handle and finds its segment files.
     *
     * @throws IOException when the manifest is foreign or damaged, or a file is missing or has
     *     another length than the manifest says
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
        List<SegmentFile> segments = new ArrayList<>();
        for (CheckpointManifest.Segment segment : manifest.segments()) {
            segments.add(locate(segment, all, directory, handle));
        }
        return new RestoreSource(
                manifest, List.copyOf(segments), sharedSegments(manifest, shared), directory);
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

    private static SegmentFile locate(
            CheckpointManifest.Segment segment,
            Map<String, StreamStateHandle> handles,
            Optional<java.nio.file.Path> directory,
            IncrementalKeyedStateHandle source)
            throws IOException {
        String name = SegmentFile.nameOf(segment.number());
        StreamStateHandle file = handles.get(name);
        if (directory.isPresent() && Files.exists(directory.get().resolve(name))) {
            java.nio.file.Path local = directory.get().resolve(name);
            file = new FileStateHandle(new Path(local.toUri()), Files.size(local));
        }
        if (file == null) {
            throw new IOException(
                    "Segment " + name + " of checkpoint " + source + " is not among its files.");
        }
        if (file.getStateSize() != segment.bytes()) {
            throw new CorruptCheckpointException(
                    describe(file),
                    Math.min(file.getStateSize(), segment.bytes()),
                    "the segment has "
                            + file.getStateSize()
                            + " bytes, its manifest says "
                            + segment.bytes());
        }
        return new SegmentFile(segment.number(), segment.sections(), segment.bytes(), file);
    }

    private static Optional<List<SegmentFile>> sharedSegments(
            CheckpointManifest manifest, Map<String, StreamStateHandle> shared) {
        List<SegmentFile> result = new ArrayList<>();
        for (CheckpointManifest.Segment segment : manifest.segments()) {
            StreamStateHandle file = shared.get(SegmentFile.nameOf(segment.number()));
            if (file == null) {
                return Optional.empty();
            }
            result.add(
                    new SegmentFile(segment.number(), segment.sections(), segment.bytes(), file));
        }
        return Optional.of(result);
    }

    private static Map<String, StreamStateHandle> byName(List<HandleAndLocalPath> files) {
        Map<String, StreamStateHandle> result = new HashMap<>();
        files.forEach(file -> result.put(file.getLocalPath(), file.getHandle()));
        return result;
    }

    /** The file as a person would look for it. */
    static String describe(StreamStateHandle file) {
        return file.maybeGetPath().map(Path::toString).orElseGet(file::toString);
    }
}
