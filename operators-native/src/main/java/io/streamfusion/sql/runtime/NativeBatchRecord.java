package io.streamfusion.sql.runtime;

import io.streamfusion.ffi.NativeBatch;
import java.util.Objects;

/**
 * A batch on its way between two operators.
 *
 * <p>An emitted batch is lent: whoever emits it closes it when {@code collect} returns, and by then
 * all chained operators have worked on it. One that came out of the network belongs to the operator
 * that receives it.
 */
public final class NativeBatchRecord {
    private static final int NO_CHANNEL = -1;

    private final NativeBatch batch;
    private final boolean lent;
    private final long watermark;
    private final int channel;

    private NativeBatchRecord(NativeBatch batch, boolean lent, long watermark, int channel) {
        this.batch = Objects.requireNonNull(batch, "batch");
        this.lent = lent;
        this.watermark = watermark;
        this.channel = channel;
    }

    /** A record of a batch that its emitter will close. */
    public static NativeBatchRecord lend(NativeBatch batch) {
        return new NativeBatchRecord(batch, true, Long.MIN_VALUE, NO_CHANNEL);
    }

    /**
     * As {@link #lend(NativeBatch)}, by a source.
     *
     * @param watermark the greatest of the rows, {@link Long#MIN_VALUE} for none
     */
    public static NativeBatchRecord lend(NativeBatch batch, long watermark) {
        return new NativeBatchRecord(batch, true, watermark, NO_CHANNEL);
    }

    /** As {@link #lend(NativeBatch)}, when all rows go to one channel of an exchange. */
    public static NativeBatchRecord lendTo(int channel, NativeBatch batch) {
        return new NativeBatchRecord(batch, true, Long.MIN_VALUE, channel);
    }

    /** A record of a batch that its receiver will close. */
    public static NativeBatchRecord give(NativeBatch batch) {
        return new NativeBatchRecord(batch, false, Long.MIN_VALUE, NO_CHANNEL);
    }

    /** Number of rows. */
    public int rows() {
        return batch.rows();
    }

    /** The greatest watermark of the rows, {@link Long#MIN_VALUE} for none. */
    public long watermark() {
        return watermark;
    }

    /** The channel of an exchange that all rows go to, below 0 when the batch was not split. */
    public int channel() {
        return channel;
    }

    /** Whether the batch is its emitter's, and not one that came out of the network. */
    public boolean isLent() {
        return lent;
    }

    /** The batch, to look at while the record is processed. */
    public NativeBatch batch() {
        return batch;
    }

    /** The batch for a receiver that closes it or gives it on; to be called once. */
    public NativeBatch take() {
        return lent ? batch.retain() : batch;
    }

    @Override
    public String toString() {
        return "NativeBatchRecord(" + batch.rows() + " rows)";
    }
}
