package io.streamfusion.state.paimon.commit;

import io.streamfusion.ffi.NativeTableCompression;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the user has chosen for tables.
 *
 * @param buckets number of buckets of a table
 * @param targetFileBytes size at which a data file is ended
 * @param rewrittenRows living rows that the compaction of one checkpoint writes again, at most
 * @param deadPercent a file with so many percent of dead rows is written again
 * @param fanIn so many files of like size in one bucket are written again as one
 * @param compression of data files
 * @param typedColumns whether keys and values are decoded into columns of their own
 */
public record TableSettings(
        int buckets,
        long targetFileBytes,
        long rewrittenRows,
        int deadPercent,
        int fanIn,
        NativeTableCompression compression,
        boolean typedColumns)
        implements Serializable {

    /** As the native side reads them; see {@code NativeStore.keepPlaces}. */
    byte[] options() {
        byte[] options = new byte[3 * Integer.BYTES + 2 * Long.BYTES];
        ByteBuffer.wrap(options)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(buckets)
                .putLong(targetFileBytes)
                .putLong(rewrittenRows)
                .putInt(deadPercent)
                .putInt(fanIn);
        return options;
    }
}
