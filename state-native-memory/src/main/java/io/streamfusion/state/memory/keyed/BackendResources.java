package io.streamfusion.state.memory.keyed;

import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.ffi.NativeStore;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.util.IOUtils;

/**
 * The native memory of one backend: its store, its share in a budget, and what the store needs.
 * Freed exactly once.
 */
public final class BackendResources implements AutoCloseable {
    private final NativeStore store;
    private final NativeBudget budget;
    private final AutoCloseable budgetLease;
    private final List<AutoCloseable> others = new ArrayList<>();
    private volatile boolean closed;

    /**
     * Takes over a store.
     *
     * @param budget the budget the store counts against
     * @param budgetLease gives up this backend's share in the budget
     */
    public BackendResources(NativeStore store, NativeBudget budget, AutoCloseable budgetLease) {
        this.store = store;
        this.budget = budget;
        this.budgetLease = budgetLease;
    }

    /** The store. */
    public NativeStore store() {
        return store;
    }

    /** The budget; shared with the other backends of the slot. */
    public NativeBudget budget() {
        return budget;
    }

    /** Adds something that is closed when the store has been freed. */
    synchronized void closeAfterStore(AutoCloseable other) {
        others.add(other);
    }

    /** Whether the memory was freed. */
    public boolean isClosed() {
        return closed;
    }

    /** Frees the memory, or waits until another thread has. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            IOUtils.closeQuietly(store);
            others.forEach(IOUtils::closeQuietly);
            IOUtils.closeQuietly(budgetLease);
        }
    }
}
