package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeLoader;
import io.streamfusion.ffi.NativeSegmentIndex;
import io.streamfusion.state.memory.snapshot.CorruptCheckpointException;
import io.streamfusion.state.memory.snapshot.SegmentFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.util.IOUtils;

/** An open segment file. One thread; cancellation closes it under that thread's hands. */
final class SegmentReader implements Closeable {
    private static final int BUFFER_BYTES = 256 * 1024;
    private static final int FIRST_TAIL_BYTES = 64 * 1024;
    private static final byte[] HEADER_MAGIC = "SFSEGMNT".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 24;

    private final SegmentFile segment;
    private final CloseableRegistry cancellation;
    private final FSDataInputStream in;
    private final String name;
    private final byte[] buffer = new byte[BUFFER_BYTES];

    SegmentReader(SegmentFile segment, CloseableRegistry cancellation) throws IOException {
        this.segment = segment;
        this.cancellation = cancellation;
        this.name = RestoreSource.describe(segment.handle());
        this.in = segment.handle().openInputStream();
        try {
            cancellation.registerCloseable(in);
        } catch (IOException e) {
            IOUtils.closeQuietly(in);
            throw e;
        }
    }

    /** Reads the footer and checks that the header agrees with it. */
    NativeSegmentIndex index() throws IOException {
        NativeSegmentIndex index = footer();
        byte[] expected = header(index);
        byte[] header = new byte[expected.length];
        readFully(0, header, header.length);
        if (!Arrays.equals(header, expected)) {
            throw new CorruptCheckpointException(
                    name,
                    Arrays.mismatch(header, expected),
                    "its header is not that of segment "
                            + index.segmentNo()
                            + ", which its footer names");
        }
        return index;
    }

    /** Magic, version, number and their checksum, as the native side writes them. */
    private static byte[] header(NativeSegmentIndex index) {
        byte[] header = new byte[HEADER_BYTES];
        ByteBuffer out = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        out.put(HEADER_MAGIC).putInt(index.version()).putLong(index.segmentNo());
        CRC32C checksum = new CRC32C();
        checksum.update(header, 0, out.position());
        out.putInt((int) checksum.getValue());
        return header;
    }

    private NativeSegmentIndex footer() throws IOException {
        int tailBytes = (int) Math.min(FIRST_TAIL_BYTES, segment.bytes());
        while (true) {
            byte[] tail = new byte[tailBytes];
            readFully(segment.bytes() - tailBytes, tail, tailBytes);
            NativeSegmentIndex index = NativeSegmentIndex.parse(tail, segment.bytes(), name);
            if (index.neededTail() == 0) {
                return index;
            }
            if (index.neededTail() <= tailBytes || index.neededTail() > segment.bytes()) {
                throw new CorruptCheckpointException(
                        name,
                        segment.bytes() - tailBytes,
                        "its footer claims " + index.neededTail() + " bytes");
            }
            tailBytes = index.neededTail();
        }
    }

    /** Gives one key group's section to a loader. */
    void load(NativeSegmentIndex.Entry section, NativeLoader loader) throws IOException {
        loader.section(section.keyGroup(), section.offset(), section.length(), name);
        long position = section.offset();
        long end = section.offset() + section.length();
        while (position < end) {
            int length = (int) Math.min(buffer.length, end - position);
            readFully(position, buffer, length);
            loader.feed(buffer, 0, length);
            position += length;
        }
        loader.end();
    }

    private void readFully(long offset, byte[] target, int length) throws IOException {
        if (in.getPos() != offset) {
            in.seek(offset);
        }
        int present = in.readNBytes(target, 0, length);
        if (present < length) {
            throw new CorruptCheckpointException(
                    name,
                    offset + present,
                    "the file ends here, but it should have " + segment.bytes() + " bytes");
        }
    }

    @Override
    public void close() {
        cancellation.unregisterCloseable(in);
        IOUtils.closeQuietly(in);
    }
}
