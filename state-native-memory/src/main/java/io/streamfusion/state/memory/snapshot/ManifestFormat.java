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

    /** The blocks of a manifest; each occurs once, in this order. */
    enum Block {
        IDENTITY,
        KEYED_BACKEND,
        STATES,
        SEGMENTS;

        int code() {
            return ordinal() + 1;
        }

        String title() {
            return switch (this) {
                case IDENTITY -> "identity";
                case KEYED_BACKEND -> "keyed backend metadata";
                case STATES -> "states";
                case SEGMENTS -> "segments";
            };
        }
    }

    private ManifestFormat() {}

    static int checksum(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }
}
