package io.streamfusion.state.memory.snapshot;

import io.streamfusion.state.memory.snapshot.ManifestFormat.Block;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Encodes a {@link CheckpointManifest}. */
public final class ManifestWriter {
    private static final int IDENTITY_BYTES = 3 * Long.BYTES + 3 * Integer.BYTES;

    private ManifestWriter() {}

    /** The bytes of the manifest file. */
    public static byte[] write(CheckpointManifest manifest) {
        List<byte[]> blocks = new ArrayList<>();
        blocks.add(block(Block.IDENTITY.code(), identity(manifest)));
        blocks.add(block(Block.KEYED_BACKEND.code(), bytesOf(manifest.keyedBackendMetadata())));
        blocks.add(block(Block.STATES.code(), states(manifest.states())));
        blocks.add(block(manifest.contents().form().code(), bytesOf(manifest.contents().bytes())));

        long length = ManifestFormat.HEADER_BYTES;
        for (byte[] block : blocks) {
            length += block.length;
        }
        ByteArrayOutputStream file = new ByteArrayOutputStream(Math.toIntExact(length));
        file.writeBytes(header(length));
        blocks.forEach(file::writeBytes);
        return file.toByteArray();
    }

    private static byte[] header(long fileLength) {
        byte[] header = new byte[ManifestFormat.HEADER_BYTES];
        ByteBuffer out = littleEndian(header);
        out.put(ManifestFormat.MAGIC);
        out.putInt(ManifestFormat.VERSION);
        out.putLong(fileLength);
        out.putInt(ManifestFormat.checksum(header, 0, out.position()));
        return header;
    }

    private static byte[] block(int type, byte[] content) {
        byte[] block =
                new byte
                        [ManifestFormat.BLOCK_HEADER_BYTES
                                + content.length
                                + ManifestFormat.CHECKSUM_BYTES];
        ByteBuffer out = littleEndian(block);
        out.putInt(type);
        out.putInt(content.length);
        out.put(content);
        out.putInt(ManifestFormat.checksum(block, 0, out.position()));
        return block;
    }

    private static byte[] identity(CheckpointManifest manifest) {
        byte[] content = new byte[IDENTITY_BYTES];
        ByteBuffer out = littleEndian(content);
        out.putLong(manifest.backendId().getMostSignificantBits());
        out.putLong(manifest.backendId().getLeastSignificantBits());
        out.putLong(manifest.checkpointId());
        out.putInt(manifest.numberOfKeyGroups());
        out.putInt(manifest.firstKeyGroup());
        out.putInt(manifest.lastKeyGroup());
        return content;
    }

    private static byte[] states(List<CheckpointManifest.State> states) {
        List<byte[]> names =
                states.stream().map(s -> s.name().getBytes(StandardCharsets.UTF_8)).toList();
        int size = Integer.BYTES;
        for (byte[] name : names) {
            size += 3 * Integer.BYTES + name.length;
        }
        byte[] content = new byte[size];
        ByteBuffer out = littleEndian(content);
        out.putInt(states.size());
        for (int i = 0; i < states.size(); i++) {
            CheckpointManifest.State state = states.get(i);
            out.putInt(state.id());
            out.putInt(state.kind().code());
            out.putInt(names.get(i).length);
            out.put(names.get(i));
        }
        return content;
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
