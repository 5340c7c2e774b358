package io.streamfusion.state.memory.snapshot;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Constants of the manifest file, shared by its writer and its reader. */
final class ManifestFormat {
    static final byte[] MAGIC = "SFMANIF1".getBytes(StandardCharsets.US_ASCII);
    static final int VERSION = 1;

    /** Magic, version, file length, checksum. */
    static final int HEADER_BYTES = 8 + Integer.BYTES + Long.BYTES + Integer.BYTES;

    /** Type and length before a block's content. */
    static final int BLOCK_HEADER_BYTES = 2 * Integer.BYTES;

    static final int CHECKSUM_BYTES = Integer.BYTES;

    /** The block behind those of {@link Block}, in messages. */
    static final String FILES_TITLE = "files";

    /**
     * The blocks of a manifest; each occurs once, in this order. Behind them comes the list of
     * files, whose type is that of its {@link CheckpointManifest.Form}.
     */
    enum Block {
        IDENTITY(1, "identity"),
        KEYED_BACKEND(2, "keyed backend metadata"),
        STATES(3, "states");

        private final int code;
        private final String title;

        Block(int code, String title) {
            this.code = code;
            this.title = title;
        }

        int code() {
            return code;
        }

        String title() {
            return title;
        }
    }

    private ManifestFormat() {}

    static int checksum(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }
}
