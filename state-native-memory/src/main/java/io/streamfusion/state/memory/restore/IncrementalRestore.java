package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.state.memory.registry.RegisteredState;
import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import io.streamfusion.state.memory.snapshot.ForeignCheckpointException;
import io.streamfusion.state.memory.snapshot.RestoredBase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.StateMigrationException;

/**
 * Restores from checkpoints and native savepoints of our backends, at the same or another
 * parallelism. Everything is checked before the first row is read.
 */
final class IncrementalRestore<K> {
    private static final int UNKNOWN_STATE = -1;

    private final RestoreTarget<K> target;
    private final List<IncrementalKeyedStateHandle> handles;
    private final List<FormReader> readers;
    private final int threads;
    private final boolean incremental;

    IncrementalRestore(
            RestoreTarget<K> target,
            List<IncrementalKeyedStateHandle> handles,
            List<FormReader> readers,
            int threads,
            boolean incremental) {
        this.target = target;
        this.handles = handles;
        this.readers = readers;
        this.threads = threads;
        this.incremental = incremental;
    }

    /**
     * Fills the target.
     *
     * @return what the next incremental checkpoint may build on
     */
    Optional<RestoredBase> restore() throws Exception {
        List<RestoreSource> sources = new ArrayList<>();
        List<FormSource> opened = new ArrayList<>();
        for (IncrementalKeyedStateHandle handle : handles) {
            RestoreSource source = RestoreSource.open(handle, target.cancellation());
            opened.add(readerOf(source).open(source));
            checkIdentity(source.manifest(), handle);
            sources.add(source);
        }
        boolean sameRange = sources.size() == 1 && coversTarget(sources.get(0).manifest());
        List<FormSource.Loading> loadings = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            int[] stateIds =
                    registerStates(sources.get(i).manifest(), loadings.isEmpty(), sameRange);
            loadings.add(opened.get(i).plan(target, stateIds));
        }
        for (FormSource.Loading loading : loadings) {
            loading.run(threads);
        }
        target.store().restoreFinish();
        return sameRange && incremental
                ? continueFrom(opened.get(0), sources.get(0), handles.get(0))
                : Optional.empty();
    }

    private FormReader readerOf(RestoreSource source) throws ForeignCheckpointException {
        CheckpointManifest.Form form = source.manifest().contents().form();
        for (FormReader reader : readers) {
            if (reader.form() == form) {
                return reader;
            }
        }
        throw new ForeignCheckpointException(
                source.description(), "its manifest lists " + form.title());
    }

    private Optional<RestoredBase> continueFrom(
            FormSource state, RestoreSource source, IncrementalKeyedStateHandle handle) {
        return state.continueFrom(target.store())
                .map(
                        files ->
                                new RestoredBase(
                                        handle.getBackendIdentifier(),
                                        handle.getCheckpointId(),
                                        files,
                                        source.localDirectory()));
    }

    private static void checkIdentity(
            CheckpointManifest manifest, IncrementalKeyedStateHandle handle) throws IOException {
        if (!rangeOf(manifest).equals(handle.getKeyGroupRange())
                || !manifest.backendId().equals(handle.getBackendIdentifier())) {
            throw new IOException(
                    "The manifest of checkpoint "
                            + handle
                            + " belongs to key groups "
                            + rangeOf(manifest)
                            + " of backend "
                            + manifest.backendId()
                            + ".");
        }
    }

    private boolean coversTarget(CheckpointManifest manifest) {
        return rangeOf(manifest).equals(target.keyGroupRange());
    }

    private static KeyGroupRange rangeOf(CheckpointManifest manifest) {
        return KeyGroupRange.of(manifest.firstKeyGroup(), manifest.lastKeyGroup());
    }

    /**
     * Registers the states of a manifest.
     *
     * @param first whether the key serializer is still to be checked
     * @param keepIds whether states must keep their identifiers, since new segments will extend the
     *     restored chain
     * @return at the identifier in the file the identifier in the store
     */
    private int[] registerStates(CheckpointManifest manifest, boolean first, boolean keepIds)
            throws Exception {
        KeyedBackendSerializationProxy<K> metadata =
                new KeyedBackendSerializationProxy<>(target.userClassLoader());
        metadata.read(new DataInputDeserializer(manifest.keyedBackendMetadata()));
        if (first) {
            target.checkKeySerializer(metadata.getKeySerializerSnapshot());
        }
        List<StateMetaInfoSnapshot> metaInfos = metadata.getStateMetaInfoSnapshots();
        List<CheckpointManifest.State> states = manifest.states();
        if (metaInfos.size() != states.size()) {
            throw new IOException(
                    "A manifest lists "
                            + states.size()
                            + " states and describes "
                            + metaInfos.size()
                            + ".");
        }
        int[] ids =
                new int
                        [1
                                + states.stream()
                                        .mapToInt(CheckpointManifest.State::id)
                                        .max()
                                        .orElse(-1)];
        Arrays.fill(ids, UNKNOWN_STATE);
        for (int i = 0; i < states.size(); i++) {
            CheckpointManifest.State state = states.get(i);
            RegisteredState registered =
                    target.registry()
                            .registerRestored(
                                    metaInfos.get(i), keepIds ? state.id() : UNKNOWN_STATE);
            requireKind(registered.kind(), state);
            ids[state.id()] = registered.id();
        }
        return ids;
    }

    private static void requireKind(NativeStateKind kind, CheckpointManifest.State state)
            throws StateMigrationException {
        if (kind != state.kind()) {
            throw new StateMigrationException(
                    "State '"
                            + state.name()
                            + "' is of kind "
                            + state.kind()
                            + " in one part of the checkpoint and of kind "
                            + kind
                            + " in another.");
        }
    }
}
