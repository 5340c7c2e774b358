package io.streamfusion.state.memory.snapshot;

import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.state.memory.snapshot.ManifestFormat.Block;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * Decodes a {@link CheckpointManifest} and refuses every byte that its writer did not write: each
 * structure has a checksum, the whole a length.
 */
public final class ManifestReader {
    private static final long LARGEST_FILE = Integer.MAX_VALUE - 8L;

    private final String file;
    private final byte[] bytes;
    private int position;

    private ManifestReader(String file, byte[] bytes) {
        this.file = file;
        this.bytes = bytes;
    }

    /**
     * Reads a whole manifest.
     *
     * @param file name for messages
     * @param in the file from its start; read to its end, not closed
     * @throws ForeignCheckpointException when the file begins with something else
     * @throws CorruptCheckpointException when it is damaged, truncated or too long
     */
    public static CheckpointManifest read(String file, InputStream in) throws IOException {
        byte[] header = in.readNBytes(ManifestFormat.HEADER_BYTES);
        byte[] magic = Arrays.copyOf(header, Math.min(header.length, ManifestFormat.MAGIC.length));
        if (!Arrays.equals(magic, Arrays.copyOf(ManifestFormat.MAGIC, magic.length))) {
            throw new ForeignCheckpointException(
                    file,
                    "its metadata begins at offset 0 with "
                            + HexFormat.of().formatHex(magic)
                            + ", not with the magic SFMANIF1");
        }
        long length = lengthFrom(file, header);
        byte[] bytes = Arrays.copyOf(header, (int) length);
        int present =
                header.length + in.readNBytes(bytes, header.length, bytes.length - header.length);
        if (present < length) {
            throw new CorruptCheckpointException(
                    file, present, "the file ends here, its header says " + length + " bytes");
        }
        if (in.read() >= 0) {
            throw new CorruptCheckpointException(
                    file, length, "there are bytes behind the end that the header gives");
        }
        return new ManifestReader(file, bytes).decode();
    }

    private static long lengthFrom(String file, byte[] header) throws CorruptCheckpointException {
        if (header.length < ManifestFormat.HEADER_BYTES) {
            throw new CorruptCheckpointException(
                    file, header.length, "the file ends within its header");
        }
        ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        in.position(ManifestFormat.MAGIC.length);
        int version = in.getInt();
        long length = in.getLong();
        int checked = in.position();
        if (in.getInt() != ManifestFormat.checksum(header, 0, checked)) {
            throw new CorruptCheckpointException(file, 0, "the checksum of the header is wrong");
        }
        if (version != ManifestFormat.VERSION) {
            throw new CorruptCheckpointException(
                    file,
                    ManifestFormat.MAGIC.length,
                    "format version "
                            + version
                            + " is not known; this release reads version "
                            + ManifestFormat.VERSION);
        }
        if (length < ManifestFormat.HEADER_BYTES || length > LARGEST_FILE) {
            throw new CorruptCheckpointException(
                    file,
                    ManifestFormat.MAGIC.length + Integer.BYTES,
                    "impossible length " + length);
        }
        return length;
    }

    private CheckpointManifest decode() throws CorruptCheckpointException {
        position = ManifestFormat.HEADER_BYTES;
        ByteBuffer identity = block(Block.IDENTITY);
        ByteBuffer backend = block(Block.KEYED_BACKEND);
        ByteBuffer states = block(Block.STATES);
        CheckpointManifest.Contents contents = contents();
        if (position != bytes.length) {
            throw new CorruptCheckpointException(
                    file, position, "unexpected bytes after the blocks");
        }
        try {
            return new CheckpointManifest(
                    new UUID(identity.getLong(), identity.getLong()),
                    identity.getLong(),
                    identity.getInt(),
                    identity.getInt(),
                    identity.getInt(),
                    backend.slice(),
                    states(states),
                    contents);
        } catch (BufferUnderflowException e) {
            throw CorruptCheckpointException.shortBlock(file);
        }
    }

    private ByteBuffer block(Block expected) throws CorruptCheckpointException {
        int start = position;
        int type = typeOfNext(expected.title());
        if (type != expected.code()) {
            throw damaged(expected.title(), start, "has the type code " + type);
        }
        return contentOfNext(expected.title());
    }

    private CheckpointManifest.Contents contents() throws CorruptCheckpointException {
        int start = position;
        int type = typeOfNext(ManifestFormat.FILES_TITLE);
        for (CheckpointManifest.Form form : CheckpointManifest.Form.values()) {
            if (form.code() == type) {
                return new CheckpointManifest.Contents(
                        form, contentOfNext(ManifestFormat.FILES_TITLE).slice());
            }
        }
        throw damaged(ManifestFormat.FILES_TITLE, start, "has the type code " + type);
    }

    private int typeOfNext(String title) throws CorruptCheckpointException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).position(position);
        if (in.remaining() < ManifestFormat.BLOCK_HEADER_BYTES + ManifestFormat.CHECKSUM_BYTES) {
            throw damaged(title, position, "is missing");
        }
        return in.getInt();
    }

    private ByteBuffer contentOfNext(String title) throws CorruptCheckpointException {
        int start = position;
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        in.position(start + Integer.BYTES);
        int length = in.getInt();
        if (length < 0 || length > in.remaining() - ManifestFormat.CHECKSUM_BYTES) {
            throw damaged(title, start, "has the impossible length " + length);
        }
        int from = in.position();
        int to = from + length;
        if (in.getInt(to) != ManifestFormat.checksum(bytes, start, to)) {
            throw damaged(title, start, "has a wrong checksum");
        }
        position = to + ManifestFormat.CHECKSUM_BYTES;
        return ByteBuffer.wrap(bytes, from, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private CorruptCheckpointException damaged(String block, int offset, String problem) {
        return new CorruptCheckpointException(
                file, offset, "the block \"" + block + "\" " + problem);
    }

    private List<CheckpointManifest.State> states(ByteBuffer in) throws CorruptCheckpointException {
        int count = in.getInt();
        List<CheckpointManifest.State> states = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int offset = in.position();
            int id = in.getInt();
            NativeStateKind kind = kind(in.getInt(), offset);
            byte[] name = new byte[boundedLength(in.getInt(), in)];
            in.get(name);
            states.add(
                    new CheckpointManifest.State(
                            id, kind, new String(name, StandardCharsets.UTF_8)));
        }
        return states;
    }

    private NativeStateKind kind(int code, int offset) throws CorruptCheckpointException {
        for (NativeStateKind kind : NativeStateKind.values()) {
            if (kind.code() == code) {
                return kind;
            }
        }
        throw damaged(Block.STATES.title(), offset, "names the unknown state kind " + code);
    }

    private static int boundedLength(int length, ByteBuffer in) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        return length;
    }
}
