package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeStateKind;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * The metadata file of a checkpoint: who wrote it, which states it has, and which files make it up.
 * The format is described in {@code docs/formats/memory-manifest.md}.
 *
 * @param backendId identity of the backend that wrote it
 * @param checkpointId the checkpoint
 * @param numberOfKeyGroups maximum parallelism of the job
 * @param firstKeyGroup first key group of the backend
 * @param lastKeyGroup last key group of the backend, inclusive
 * @param keyedBackendMetadata Flink's description of the key serializer and the states, in the
 *     order of {@code states}
 * @param states identifiers of the states within the files
 * @param contents the files
 */
public record CheckpointManifest(
        UUID backendId,
        long checkpointId,
        int numberOfKeyGroups,
        int firstKeyGroup,
        int lastKeyGroup,
        ByteBuffer keyedBackendMetadata,
        List<State> states,
        Contents contents) {

    /** What kind of files a checkpoint consists of; the code is that of the block. */
    public enum Form {
        /** Segment files; see {@link SegmentList}. */
        SEGMENTS(4, "segment files (streamfusion-memory)"),
        /** The data files of a Paimon table. */
        TABLE(5, "the files of a Paimon table (streamfusion-paimon)");

        private final int code;
        private final String title;

        Form(int code, String title) {
            this.code = code;
            this.title = title;
        }

        /** The type of the block that lists the files. */
        public int code() {
            return code;
        }

        /** The files and the backend that writes them, for messages. */
        public String title() {
            return title;
        }
    }

    /**
     * The files of a checkpoint.
     *
     * @param form decides about the rest
     * @param bytes the list of the files, encoded as that form does
     */
    public record Contents(Form form, ByteBuffer bytes) {
        /** A view of its own for each caller. */
        @Override
        public ByteBuffer bytes() {
            return bytes.asReadOnlyBuffer();
        }
    }

    /**
     * A state within the files.
     *
     * @param id its number there
     * @param kind layout of its rows
     * @param name its name in Flink
     */
    public record State(int id, NativeStateKind kind, String name) {}

    public CheckpointManifest {
        states = List.copyOf(states);
    }

    /** A view of its own for each caller. */
    @Override
    public ByteBuffer keyedBackendMetadata() {
        return keyedBackendMetadata.asReadOnlyBuffer();
    }
}
