package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A batch of rows in native memory. It never changes. Whoever has one closes it, exactly once, or
 * gives it to {@link NativeOperator#process}; who needs it longer than its owner takes one more
 * with {@link #retain()}.
 */
public final class NativeBatch implements AutoCloseable {
    private static final String WHAT = "batch";

    private final NativeHandle handle;
    private final int rows;
    private final long bytes;

    private NativeBatch(NativeHandle handle, int rows, long bytes) {
        this.handle = handle;
        this.rows = rows;
        this.bytes = bytes;
    }

    /** The batch that a call has written into three places, null when it wrote none. */
    static NativeBatch of(MemorySegment out) {
        long address = out.getAtIndex(ValueLayout.JAVA_LONG, 0);
        if (address == 0) {
            return null;
        }
        NativeHandle handle =
                new NativeHandle(
                        WHAT, MemorySegment.ofAddress(address), StreamFusionAbi::sf_batch_free);
        int rows = Math.toIntExact(out.getAtIndex(ValueLayout.JAVA_LONG, 1));
        return new NativeBatch(handle, rows, out.getAtIndex(ValueLayout.JAVA_LONG, 2));
    }

    /** Number of rows. */
    public int rows() {
        return rows;
    }

    /** Bytes of native memory; those that are shared with other batches count in each. */
    public long bytes() {
        return bytes;
    }

    /** Whether {@link #close()} was called, or the batch was given away. */
    public boolean isClosed() {
        return handle.isClosed();
    }

    /** One more owner of the same rows. */
    public NativeBatch retain() {
        NativeHandle other =
                new NativeHandle(
                        WHAT,
                        StreamFusionAbi.sf_batch_retain(handle.pointer()),
                        StreamFusionAbi::sf_batch_free);
        return new NativeBatch(other, rows, bytes);
    }

    /**
     * Byte values of Flink's row kinds, one a row.
     *
     * @return null when all rows are inserts
     */
    public byte[] kinds() {
        try (NativeScratch scratch = new NativeScratch()) {
            MemorySegment out = scratch.ensure(Math.max(1, rows));
            int status =
                    NativeStatus.check(StreamFusionAbi.sf_batch_kinds(handle.pointer(), out, rows));
            return status == 1 ? null : out.asSlice(0, rows).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    MemorySegment pointer() {
        return handle.pointer();
    }

    /** The pointer for a call that takes the batch over. */
    MemorySegment take() {
        return handle.take();
    }

    @Override
    public void close() {
        handle.close();
    }
}
