package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * A frozen image of a store, read by one thread at a time while the store goes on changing. It
 * outlives the store.
 */
public final class NativeSnapshot implements AutoCloseable {
    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();

    NativeSnapshot(NativeHandle handle) {
        this.handle = handle;
    }

    /**
     * The next bytes of the segment file, or of the data file that was begun last.
     *
     * @param buffer at least 64 KiB
     * @return number of bytes put into {@code buffer}; 0 at the end
     */
    public int next(byte[] buffer) {
        MemorySegment out = scratch.ensure(buffer.length);
        int length =
                NativeStatus.check(
                        StreamFusionAbi.sf_snapshot_next(handle.pointer(), out, buffer.length));
        MemorySegment.copy(out, ValueLayout.JAVA_BYTE, 0, buffer, 0, length);
        return length;
    }

    /**
     * The next rows of a canonical snapshot: entries {@code [i32 key group][i32 state][i32 key
     * length][i32 value length][key][value]} ordered by key group and state.
     *
     * @return false at the end
     */
    public boolean rows(NativeChunk out) {
        while (true) {
            MemorySegment memory = scratch.ensure(out.capacity());
            int status =
                    StreamFusionAbi.sf_snapshot_rows(handle.pointer(), memory, scratch.capacity());
            if (status != NativeStatus.TOO_SMALL) {
                int length = NativeStatus.check(status);
                out.receive(memory, length);
                return length > 0;
            }
            out.ensureCapacity(scratch.needed());
        }
    }

    /**
     * What was written, after the end: {@code [i64 epoch][i64 new segment or -1][i64 rows][i64
     * tombstones][i64 file bytes][i64 raw bytes][i32 n]} and the segments of the checkpoint,
     * integers little-endian.
     */
    public byte[] describe() {
        return bytes(StreamFusionAbi::sf_snapshot_describe);
    }

    /**
     * A data file of a table that is being written; its bytes are those of {@link #next}.
     *
     * @param number unique among the files of one store and of those it was restored from
     * @param bucket the table's bucket
     */
    public record NewFile(long number, int bucket) {}

    /** Begins the next data file of a table; empty when there is none left. */
    public Optional<NewFile> nextTableFile() {
        byte[] file = bytes(StreamFusionAbi::sf_table_next_file);
        if (file.length == 0) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        return Optional.of(new NewFile(in.getLong(), in.getInt()));
    }

    /**
     * The deletion-vector index file of a bucket, after the last data file.
     *
     * @return empty when no row of the bucket's files is dead
     */
    public byte[] tableIndex(int bucket) {
        return bytes(
                (snapshot, out, capacity) ->
                        StreamFusionAbi.sf_table_index(snapshot, bucket, out, capacity));
    }

    /** What the table consists of, after the last data file. */
    public NativeTableDescription describeTable() {
        return NativeTableDescription.parse(bytes(StreamFusionAbi::sf_table_describe));
    }

    private interface Fill {
        int into(MemorySegment snapshot, MemorySegment out, int capacity);
    }

    /** The answer of a call that says how much room it needs when it has too little. */
    private byte[] bytes(Fill call) {
        scratch.ensure(4096);
        while (true) {
            MemorySegment memory = scratch.ensure(1);
            int status = call.into(handle.pointer(), memory, scratch.capacity());
            if (status != NativeStatus.TOO_SMALL) {
                int length = NativeStatus.check(status);
                return memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            }
            scratch.ensure(scratch.needed());
        }
    }

    /** Releases what the snapshot pins; closing twice is harmless. */
    @Override
    public void close() {
        handle.close();
        scratch.close();
    }
}
