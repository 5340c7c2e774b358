package io.streamfusion.state.paimon.catalog.decode;

import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** The states of a keyed backend as its manifest describes them. */
public final class BackendStates implements Serializable {
    private static final long serialVersionUID = 1L;

    private final State[] states;
    private final byte[] metadata;

    /**
     * A state.
     *
     * @param name its name
     * @param kind layout of its rows
     */
    public record State(String name, NativeStateKind kind) implements Serializable {}

    /**
     * Creates a description.
     *
     * @param metadata Flink's description of the serializers, in the order of {@code states}
     */
    BackendStates(List<State> states, byte[] metadata) {
        this.states = states.toArray(State[]::new);
        this.metadata = metadata;
    }

    /** The states of the backend that wrote a manifest. */
    public static BackendStates of(CheckpointManifest manifest) {
        ByteBuffer bytes = manifest.keyedBackendMetadata();
        byte[] metadata = new byte[bytes.remaining()];
        bytes.get(metadata);
        return new BackendStates(
                manifest.states().stream().map(s -> new State(s.name(), s.kind())).toList(),
                metadata);
    }

    List<State> states() {
        return List.of(states);
    }

    byte[] metadata() {
        return metadata;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BackendStates that
                && Arrays.equals(states, that.states)
                && Arrays.equals(metadata, that.metadata);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(states) + Arrays.hashCode(metadata);
    }
}
