package io.streamfusion.sql.runtime;

import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.sql.plan.BatchSettings;
import io.streamfusion.sql.plan.SqlOptions;

/**
 * The native memory of all batches of this process. It is there while something uses it; each user
 * takes it when it opens and closes it once.
 */
public final class BatchMemory implements AutoCloseable {
    private static final Object LOCK = new Object();

    private static NativeBudget shared;
    private static int users;

    private boolean closed;

    private BatchMemory() {}

    /** Takes part in the memory; the limit is that of the last one who came. */
    public static BatchMemory open(BatchSettings settings) {
        synchronized (LOCK) {
            if (users == 0) {
                shared =
                        NativeBudget.create(
                                settings.memoryBytes(),
                                "Raise "
                                        + SqlOptions.BATCH_MEMORY.key()
                                        + ", or lower "
                                        + SqlOptions.BATCH_BYTES.key());
            } else {
                shared.setLimit(settings.memoryBytes());
            }
            users++;
            return new BatchMemory();
        }
    }

    /**
     * What batches count against while some operator of this process is open; not to be closed. For
     * those who have no life of their own, such as serializers.
     */
    static NativeBudget current() {
        synchronized (LOCK) {
            if (shared == null) {
                throw new IllegalStateException("no native operator is open");
            }
            return shared;
        }
    }

    /** What batches count against; not to be closed. */
    public NativeBudget budget() {
        synchronized (LOCK) {
            if (closed) {
                throw new IllegalStateException("the memory of batches was given back");
            }
            return shared;
        }
    }

    @Override
    public void close() {
        synchronized (LOCK) {
            if (!closed) {
                closed = true;
                users--;
                if (users == 0) {
                    // Batches that someone still has keep it in Rust.
                    shared.close();
                    shared = null;
                }
            }
        }
    }
}
