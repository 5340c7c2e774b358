package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Makes records of batches, as a plan says. One thread at a time. */
public final class NativeWriter implements AutoCloseable {
    private static final int PLACES = 3;

    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();

    private NativeWriter(NativeHandle handle) {
        this.handle = handle;
    }

    /**
     * Creates a writer.
     *
     * @param plan the bytes of a message {@code Writer}
     * @throws NativeException of kind UNSUPPORTED, with the reason
     */
    public static NativeWriter create(byte[] plan) {
        NativeLibrary.load();
        try (NativeScratch scratch = new NativeScratch()) {
            MemorySegment bytes = scratch.put(plan, 0, plan.length);
            MemorySegment made = StreamFusionAbi.sf_writer_new(bytes, plan.length);
            return new NativeWriter(
                    new NativeHandle("writer", made, StreamFusionAbi::sf_writer_free));
        }
    }

    /**
     * What was written, valid until the next call: one value for each row, and one key, if records
     * have keys.
     */
    public record Written(NativeRecords values, NativeRecords keys) {}

    /** Writes one record for each row of a batch, which stays the caller's. */
    public Written write(NativeBatch batch) {
        MemorySegment out = scratch.ensure(2 * PLACES * Long.BYTES);
        NativeStatus.check(StreamFusionAbi.sf_writer_write(handle.pointer(), batch.pointer(), out));
        return new Written(records(out, 0, batch.rows()), records(out, PLACES, batch.rows()));
    }

    @SuppressWarnings("restricted")
    private static NativeRecords records(MemorySegment out, int place, int rows) {
        long ends = out.getAtIndex(ValueLayout.JAVA_LONG, place + 2);
        if (ends == 0) {
            return NativeRecords.NONE;
        }
        long size = out.getAtIndex(ValueLayout.JAVA_LONG, place + 1);
        MemorySegment bytes =
                MemorySegment.ofAddress(out.getAtIndex(ValueLayout.JAVA_LONG, place))
                        .reinterpret(size);
        return NativeRecords.of(
                bytes, MemorySegment.ofAddress(ends).reinterpret((long) rows * Integer.BYTES));
    }

    @Override
    public void close() {
        scratch.close();
        handle.close();
    }
}
