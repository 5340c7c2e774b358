package io.streamfusion.sql.plan;

import java.io.Serializable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;

/**
 * When a batch is full, and what all may hold; travels with the job.
 *
 * @param rows rows that fill a batch
 * @param bytes bytes of records that fill a batch
 * @param timeoutMillis longest wait of a row in a batch that is not full; 0: none
 * @param memoryBytes limit of all batches of a process
 */
public record BatchSettings(int rows, long bytes, long timeoutMillis, long memoryBytes)
        implements Serializable {
    /** What the options say; at least one row and one byte. */
    public static BatchSettings of(ReadableConfig config) {
        return new BatchSettings(
                Math.max(1, config.get(SqlOptions.BATCH_ROWS)),
                Math.max(1, config.get(SqlOptions.BATCH_BYTES).getBytes()),
                Math.max(0, config.get(SqlOptions.BATCH_TIMEOUT).toMillis()),
                config.get(SqlOptions.BATCH_MEMORY).getBytes());
    }

    /** What holds when nothing is set. */
    public static BatchSettings defaults() {
        return of(new Configuration());
    }
}
