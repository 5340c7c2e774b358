package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.ToIntFunction;

/**
 * One native keyed store: the tables of one keyed backend.
 *
 * <p>Everything is called by the one thread that owns the store, except {@link #readAsGuest} and
 * the {@link NativeSnapshot} and {@link NativeLoader} objects made from it.
 *
 * <p>Methods that write grow the store when they must, so their only failures are those of {@link
 * NativeException}: the budget is used up, the arguments make no sense, the store is closed or was
 * poisoned by a panic.
 */
public final class NativeStore extends NativeRows implements AutoCloseable {
    private static final int FLAG_SWEEP = 1;
    private static final int FLAG_FILTER_FULL = 2;
    private static final int STATS = 8;
    private static final int SPILL_STATS = 4;

    private NativeStore(NativeHandle handle, NativeAdvice advice) {
        super(handle, advice);
    }

    /**
     * Creates an empty store for the key groups {@code firstKeyGroup..lastKeyGroup}.
     *
     * @param chunkBytes usual size of the memory pieces rows are put into, 4 KiB to 256 KiB; 0 for
     *     the largest
     */
    public static NativeStore create(
            NativeBudget budget,
            int maxParallelism,
            int firstKeyGroup,
            int lastKeyGroup,
            int chunkBytes) {
        MemorySegment pointer =
                StreamFusionAbi.sf_store_new(
                        budget.pointer(), maxParallelism, firstKeyGroup, lastKeyGroup, chunkBytes);
        return new NativeStore(
                new NativeHandle("store", pointer, StreamFusionAbi::sf_store_free),
                new NativeAdvice(budget.advice(), ""));
    }

    /** Frees the store; snapshots begun on it stay readable. Closing twice is harmless. */
    @Override
    public void close() {
        boolean gated = gate.enter();
        try {
            handle.close();
            scratch.close();
        } finally {
            gate.leave(gated);
        }
    }

    // ---- guests

    /** Something that a thread reads of a store that it does not own. */
    @FunctionalInterface
    public interface GuestRead<T, E extends Exception> {
        /** Reads rows; the owner makes no call meanwhile. */
        T read() throws E;
    }

    /** Announces guests, so that {@link #readAsGuest} does not have to wait for the owner. */
    public void allowGuests() {
        gate.share();
    }

    /**
     * Reads rows on a thread that does not own the store, between two calls of the owner. From then
     * on each call of the owner takes a lock.
     *
     * @param timeoutMillis how long to wait for the owner's next call, when guests were not
     *     announced
     * @throws NativeException of kind USER when the owner made no call in that time
     */
    public <T, E extends Exception> T readAsGuest(long timeoutMillis, GuestRead<T, E> read)
            throws E, InterruptedException {
        if (!gate.enterAsGuest(timeoutMillis)) {
            throw new NativeException(
                    NativeException.Kind.USER,
                    "The thread that owns this state made no access within "
                            + timeoutMillis
                            + " ms, so that another one cannot read it safely.");
        }
        try {
            return read.read();
        } finally {
            gate.leave(true);
        }
    }

    /** Runs a call of a native operator that works on this store. */
    int run(ToIntFunction<MemorySegment> call) {
        boolean gated = gate.enter();
        try {
            return call.applyAsInt(handle.pointer());
        } finally {
            gate.leave(gated);
        }
    }

    // ---- states

    /**
     * Registers a state, or finds the one of that name.
     *
     * @param wantId the identifier to give it, or -1 for the next free one
     * @return its identifier
     */
    public int registerState(NativeStateKind kind, String name, int wantId) {
        boolean gated = gate.enter();
        try {
            byte[] utf8 = NativeScratch.utf8(name);
            MemorySegment bytes = scratch.put(utf8, 0, utf8.length);
            return check(
                    StreamFusionAbi.sf_state_register(
                            handle.pointer(), kind.code(), bytes, utf8.length, wantId));
        } finally {
            gate.leave(gated);
        }
    }

    /**
     * Tells the store where the last-access time of a state's rows is, so that it can drop expired
     * ones.
     *
     * @param ttlMillis life of a row after its last access; 0 or less: never drop rows
     * @param timestampOffset position of the big-endian 64-bit milliseconds in a value
     * @param sweep drop expired rows during {@link #maintain(long)}
     * @param filterFullSnapshots leave expired rows out of full and canonical snapshots
     */
    public void setTtl(
            int state,
            long ttlMillis,
            int timestampOffset,
            boolean sweep,
            boolean filterFullSnapshots) {
        boolean gated = gate.enter();
        try {
            int flags = (sweep ? FLAG_SWEEP : 0) | (filterFullSnapshots ? FLAG_FILTER_FULL : 0);
            check(
                    StreamFusionAbi.sf_state_set_ttl(
                            handle.pointer(), state, ttlMillis, timestampOffset, flags));
        } finally {
            gate.leave(gated);
        }
    }

    /** Removes every row of a state. */
    public void clearState(int state) {
        boolean gated = gate.enter();
        try {
            check(StreamFusionAbi.sf_state_clear_all(handle.pointer(), state));
        } finally {
            gate.leave(gated);
        }
    }

    /** Number of live rows of a state: map entries, lists, timers or single values. */
    public long stateRows(int state) {
        boolean gated = gate.enter();
        try {
            long rows = StreamFusionAbi.sf_state_rows(handle.pointer(), state);
            if (rows < 0) {
                throw failure((int) rows);
            }
            return rows;
        } finally {
            gate.leave(gated);
        }
    }

    // ---- upkeep

    /**
     * Does a bounded piece of background work: compaction, removal of expired rows.
     *
     * @param nowMillis the time-to-live clock
     * @return true when more work is waiting
     */
    public boolean maintain(long nowMillis) {
        boolean gated = gate.enter();
        try {
            return check(StreamFusionAbi.sf_store_maintain(handle.pointer(), nowMillis)) == 1;
        } finally {
            gate.leave(gated);
        }
    }

    /** Counters of this store; by the owning thread only. */
    public NativeStoreStats stats() {
        boolean gated = gate.enter();
        try {
            MemorySegment out = scratch.ensure(STATS * Long.BYTES);
            check(StreamFusionAbi.sf_store_stats(handle.pointer(), out, STATS));
            return new NativeStoreStats(
                    slot(out, 0),
                    slot(out, 1),
                    slot(out, 2),
                    slot(out, 3),
                    slot(out, 4),
                    slot(out, 5),
                    slot(out, 6),
                    slot(out, 7));
        } finally {
            gate.leave(gated);
        }
    }

    /** What this store has in spill files; by the owning thread only. */
    public NativeSpillStats spillStats() {
        boolean gated = gate.enter();
        try {
            MemorySegment out = scratch.ensure(SPILL_STATS * Long.BYTES);
            check(StreamFusionAbi.sf_store_spill_stats(handle.pointer(), out, SPILL_STATS));
            return new NativeSpillStats(slot(out, 0), slot(out, 1), slot(out, 2), slot(out, 3));
        } finally {
            gate.leave(gated);
        }
    }

    private static long slot(MemorySegment out, int index) {
        return out.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    // ---- checkpoints

    /**
     * Freezes the present content; bounded work whatever the size of the state.
     *
     * @param ttlNow time-to-live clock to leave expired rows out by; {@link Long#MIN_VALUE}: keep
     *     all
     */
    public NativeSnapshot beginSnapshot(
            long checkpointId,
            NativeSnapshotMode mode,
            NativeCompression compression,
            long ttlNow) {
        return begin(checkpointId, mode.code(), compression.code(), ttlNow);
    }

    /**
     * Makes the incremental snapshots of this store tables; before its first row.
     *
     * @param options {@code [i32 buckets][i64 target file bytes][i64 rows that a checkpoint may
     *     write again][i32 dead percent][i32 fan-in]}, little-endian
     */
    public void keepPlaces(byte[] options) {
        boolean gated = gate.enter();
        try {
            MemorySegment bytes = scratch.put(options, 0, options.length);
            check(StreamFusionAbi.sf_store_keep_places(handle.pointer(), bytes, options.length));
        } finally {
            gate.leave(gated);
        }
    }

    /**
     * Lets rows that do not fit the budget go to files; after {@link #keepPlaces}.
     *
     * @param directory one that is there and stays while the store lives. Files are unlinked as
     *     soon as they are open, so that nothing is left in it, however this process ends.
     * @param filesAdvice what a user can do when they cannot be written or read; ends the message
     *     of the exception
     */
    public void spillTo(String directory, String filesAdvice) {
        boolean gated = gate.enter();
        try {
            byte[] utf8 = NativeScratch.utf8(directory);
            MemorySegment bytes = scratch.put(utf8, 0, utf8.length);
            check(StreamFusionAbi.sf_store_spill_to(handle.pointer(), bytes, utf8.length));
            advice = new NativeAdvice(advice.memory(), filesAdvice);
        } finally {
            gate.leave(gated);
        }
    }

    /**
     * Says how coming tables split keys and which typed columns they have.
     *
     * @param description {@code [i32 n]} states by number, {@code [i32 namespace length or -1][i32
     *     key length or -1]}, then the typed columns; little-endian
     */
    public void columns(byte[] description) {
        boolean gated = gate.enter();
        try {
            MemorySegment bytes = scratch.put(description, 0, description.length);
            check(StreamFusionAbi.sf_store_columns(handle.pointer(), bytes, description.length));
        } finally {
            gate.leave(gated);
        }
    }

    /**
     * Freezes the present content as a table; bounded work whatever the size of the state.
     *
     * @param ttlNow as for {@link #beginSnapshot}
     */
    public NativeSnapshot beginTable(
            long checkpointId,
            NativeTableMode mode,
            NativeTableCompression compression,
            long ttlNow) {
        return begin(checkpointId, mode.code(), compression.code(), ttlNow);
    }

    private NativeSnapshot begin(long checkpointId, int mode, int compression, long ttlNow) {
        boolean gated = gate.enter();
        try {
            MemorySegment pointer =
                    StreamFusionAbi.sf_snapshot_begin(
                            handle.pointer(), checkpointId, mode, compression, ttlNow);
            return new NativeSnapshot(
                    new NativeHandle("snapshot", pointer, StreamFusionAbi::sf_snapshot_free));
        } finally {
            gate.leave(gated);
        }
    }

    /** The checkpoint is complete: later incremental snapshots build on it. */
    public void checkpointComplete(long checkpointId) {
        boolean gated = gate.enter();
        try {
            check(StreamFusionAbi.sf_checkpoint_complete(handle.pointer(), checkpointId));
        } finally {
            gate.leave(gated);
        }
    }

    /** The checkpoint will never complete: what it froze is written again by the next one. */
    public void checkpointAbort(long checkpointId) {
        boolean gated = gate.enter();
        try {
            check(StreamFusionAbi.sf_checkpoint_abort(handle.pointer(), checkpointId));
        } finally {
            gate.leave(gated);
        }
    }

    // ---- restore

    /**
     * Creates a loader. Several threads may load different key groups of one store, each with its
     * own loader, while nothing else touches the store.
     *
     * @param idMap at the state identifier of the file the identifier in this store, -1 for unknown
     */
    public NativeLoader newLoader(int[] idMap) {
        boolean gated = gate.enter();
        try {
            MemorySegment ids = scratch.ensure(Math.max(1, idMap.length) * Integer.BYTES);
            MemorySegment.copy(idMap, 0, ids, ValueLayout.JAVA_INT, 0, idMap.length);
            MemorySegment pointer =
                    StreamFusionAbi.sf_loader_new(handle.pointer(), ids, idMap.length);
            return new NativeLoader(
                    new NativeHandle("loader", pointer, StreamFusionAbi::sf_loader_free), advice);
        } finally {
            gate.leave(gated);
        }
    }

    /** Makes loaded rows usable; after all loaders are closed. */
    public void restoreFinish() {
        boolean gated = gate.enter();
        try {
            check(StreamFusionAbi.sf_restore_finish(handle.pointer()));
        } finally {
            gate.leave(gated);
        }
    }

    /**
     * Lets incremental snapshots continue from the restored checkpoint; after {@link
     * #restoreFinish()}.
     *
     * @param segments the segment list of {@link NativeSnapshot#describe()} from its count on
     */
    public void restoreChain(byte[] segments) {
        boolean gated = gate.enter();
        try {
            MemorySegment bytes = scratch.put(segments, 0, segments.length);
            check(StreamFusionAbi.sf_restore_chain(handle.pointer(), bytes, segments.length));
        } finally {
            gate.leave(gated);
        }
    }

    /**
     * Lets tables continue from the restored one; after {@link #restoreFinish()}, for a store with
     * exactly its key groups.
     *
     * @param files {@code [i32 n]} data files in the order of their epochs: {@code [i64 number][i32
     *     bucket][i64 bytes][i64 rows][i64 first sequence][i32 first key group][i32 last key
     *     group][i32 length][deletion vector]}, little-endian
     */
    public void restoreTable(byte[] files) {
        boolean gated = gate.enter();
        try {
            MemorySegment bytes = scratch.put(files, 0, files.length);
            check(StreamFusionAbi.sf_restore_table(handle.pointer(), bytes, files.length));
        } finally {
            gate.leave(gated);
        }
    }

    /** Panics inside the native guard and poisons this store: for tests of that path only. */
    public void testPanic() {
        boolean gated = gate.enter();
        try {
            check(StreamFusionAbi.sf_test_panic(handle.pointer()));
        } finally {
            gate.leave(gated);
        }
    }
}
