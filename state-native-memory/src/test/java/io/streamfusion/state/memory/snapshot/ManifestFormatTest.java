package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.NativeStateKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ManifestFormatTest {
    private static final String FILE = "chk-7/manifest";
    private static final SegmentList SEGMENTS =
            new SegmentList(
                    List.of(
                            new SegmentList.Segment(
                                    1,
                                    4711,
                                    List.of(
                                            new SegmentSection(3, true, 100),
                                            new SegmentSection(5, true, Long.MAX_VALUE))),
                            new SegmentList.Segment(
                                    9, 17, List.of(new SegmentSection(4, false, 2)))));
    private static final CheckpointManifest MANIFEST =
            new CheckpointManifest(
                    new UUID(0x0123456789abcdefL, -2),
                    7,
                    128,
                    3,
                    5,
                    ByteBuffer.wrap(new byte[] {1, 2, 3, 4}),
                    List.of(
                            new CheckpointManifest.State(0, NativeStateKind.VALUE, "Zähler"),
                            new CheckpointManifest.State(4, NativeStateKind.TIMER, "_timer")),
                    SEGMENTS.contents());

    @Test
    void readsWhatWasWritten() throws IOException {
        CheckpointManifest read = read(ManifestWriter.write(MANIFEST));
        assertThat(read).isEqualTo(MANIFEST);
        assertThat(SegmentList.read(read.contents(), FILE)).isEqualTo(SEGMENTS);
    }

    @Test
    void keepsItsBytes() {
        byte[] empty =
                ManifestWriter.write(
                        new CheckpointManifest(
                                new UUID(1, 2),
                                3,
                                4,
                                0,
                                3,
                                ByteBuffer.allocate(0),
                                List.of(),
                                new SegmentList(List.of()).contents()));
        ByteBuffer in = ByteBuffer.wrap(empty).order(ByteOrder.LITTLE_ENDIAN);
        byte[] magic = new byte[8];
        in.get(magic);
        assertThat(magic).isEqualTo("SFMANIF1".getBytes(StandardCharsets.US_ASCII));
        assertThat(in.getInt()).as("version").isEqualTo(1);
        assertThat(in.getLong()).as("file length").isEqualTo(empty.length);
        in.getInt();
        assertThat(in.getInt()).as("first block").isEqualTo(1);
        assertThat(in.getInt()).as("its length").isEqualTo(36);
        assertThat(empty).hasSize(24 + (12 + 36) + 12 + (12 + 4) + (12 + 4));
    }

    @Test
    void refusesEveryFlippedBit() {
        byte[] intact = ManifestWriter.write(MANIFEST);
        for (int bit = 0; bit < intact.length * 8; bit++) {
            byte[] damaged = intact.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> read(damaged))
                    .as("bit %s of byte %s", bit % 8, bit / 8)
                    .isInstanceOfAny(
                            CorruptCheckpointException.class, ForeignCheckpointException.class)
                    .hasMessageContaining(FILE)
                    .hasMessageContaining("offset");
        }
    }

    @Test
    void refusesEveryTruncation() {
        byte[] intact = ManifestWriter.write(MANIFEST);
        for (int length = 0; length < intact.length; length++) {
            byte[] truncated = Arrays.copyOf(intact, length);
            assertThatThrownBy(() -> read(truncated))
                    .as("%s bytes", length)
                    .isInstanceOf(CorruptCheckpointException.class)
                    .hasMessageContaining(FILE)
                    .hasMessageContaining("offset " + length);
        }
    }

    @Test
    void refusesTrailingBytes() {
        byte[] intact = ManifestWriter.write(MANIFEST);
        assertThatThrownBy(() -> read(Arrays.copyOf(intact, intact.length + 1)))
                .isInstanceOf(CorruptCheckpointException.class)
                .hasMessageContaining("offset " + intact.length);
    }

    @Test
    void refusesANewerVersion() {
        byte[] newer = ManifestWriter.write(MANIFEST);
        ByteBuffer.wrap(newer).order(ByteOrder.LITTLE_ENDIAN).putInt(8, 2);
        ByteBuffer.wrap(newer)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(20, ManifestFormat.checksum(newer, 0, 20));
        assertThatThrownBy(() -> read(newer))
                .isInstanceOf(CorruptCheckpointException.class)
                .hasMessageContaining("version 2 is not known");
    }

    @Test
    void tellsForeignMetadataFromDamage() {
        byte[] foreign = {0, 0, 0, 6, 0, 0, 0, 0, 1};
        assertThatThrownBy(() -> read(foreign))
                .isInstanceOf(ForeignCheckpointException.class)
                .hasMessageContaining(FILE)
                .hasMessageContaining("another state backend")
                .hasMessageContaining("canonical");
    }

    @Test
    void listsSegmentsAsTheNativeSideDoes() {
        ByteBuffer list = ByteBuffer.wrap(SEGMENTS.chain()).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(list.getInt()).isEqualTo(2);
        assertThat(list.getLong()).isEqualTo(1);
        assertThat(SnapshotDescription.readSections(list))
                .isEqualTo(SEGMENTS.segments().get(0).sections());
        assertThat(list.getLong()).isEqualTo(9);
        assertThat(SnapshotDescription.readSections(list))
                .isEqualTo(SEGMENTS.segments().get(1).sections());
        assertThat(list.hasRemaining()).isFalse();
    }

    private static CheckpointManifest read(byte[] bytes) throws IOException {
        return ManifestReader.read(FILE, new ByteArrayInputStream(bytes));
    }
}
