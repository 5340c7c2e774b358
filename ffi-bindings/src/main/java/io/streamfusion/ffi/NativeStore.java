package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One native keyed store: the tables of one keyed backend.
 *
 * <p>Everything is called by the one thread that owns the store, except {@link NativeSnapshot} and
 * {@link NativeLoader} objects made from it. A key is {@code [key][namespace]} or, for maps, {@code
 * [key][namespace][user key]} as Flink's composite key without its key-group prefix; {@code
 * prefixLen} is the length of {@code [key][namespace]}. {@code keyGroup} is absolute. Segments
 * given to the row door may be heap or native ones.
 *
 * <p>Methods that write grow the store when they must, so their only failures are those of {@link
 * NativeException}: the budget is used up, the arguments make no sense, the store is closed or was
 * poisoned by a panic.
 */
public final class NativeStore implements AutoCloseable {
    private static final int FLAG_SWEEP = 1;
    private static final int FLAG_FILTER_FULL = 2;
    private static final int STATS = 8;

    private final NativeHandle handle;
    private final NativeScratch scratch = new NativeScratch();
    private final String budgetAdvice;

    private NativeStore(NativeHandle handle, String budgetAdvice) {
        this.handle = handle;
        this.budgetAdvice = budgetAdvice;
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
                budget.advice());
    }

    /** Frees the store; snapshots begun on it stay readable. Closing twice is harmless. */
    @Override
    public void close() {
        handle.close();
        scratch.close();
    }

    // ---- states

    /**
     * Registers a state, or finds the one of that name.
     *
     * @param wantId the identifier to give it, or -1 for the next free one
     * @return its identifier
     */
    public int registerState(NativeStateKind kind, String name, int wantId) {
        byte[] utf8 = NativeScratch.utf8(name);
        MemorySegment bytes = scratch.put(utf8, 0, utf8.length);
        return check(
                StreamFusionAbi.sf_state_register(
                        handle.pointer(), kind.code(), bytes, utf8.length, wantId));
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
        int flags = (sweep ? FLAG_SWEEP : 0) | (filterFullSnapshots ? FLAG_FILTER_FULL : 0);
        check(
                StreamFusionAbi.sf_state_set_ttl(
                        handle.pointer(), state, ttlMillis, timestampOffset, flags));
    }

    /** Removes every row of a state. */
    public void clearState(int state) {
        check(StreamFusionAbi.sf_state_clear_all(handle.pointer(), state));
    }

    /** Number of live rows of a state: map entries, lists, timers or single values. */
    public long stateRows(int state) {
        long rows = StreamFusionAbi.sf_state_rows(handle.pointer(), state);
        if (rows < 0) {
            throw failure((int) rows);
        }
        return rows;
    }

    // ---- value rows

    /**
     * Copies a value into {@code out} when it fits.
     *
     * @return the value's length, which may exceed {@code capacity} (nothing copied then), or
     *     {@link NativeStatus#ABSENT}
     */
    public int valueGet(
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment out,
            int capacity) {
        return check(
                CriticalCalls.sf_value_get(
                        handle.pointer(), state, keyGroup, key, keyLen, out, capacity));
    }

    /** Writes or replaces a value. */
    public void valuePut(
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment value,
            int valueLen) {
        int status;
        do {
            status =
                    CriticalCalls.sf_value_put(
                            handle.pointer(), state, keyGroup, key, keyLen, value, valueLen);
        } while (again(status));
    }

    /** Removes a value; true when there was one. */
    public boolean valueRemove(int state, int keyGroup, MemorySegment key, int keyLen) {
        int status;
        do {
            status = CriticalCalls.sf_value_remove(handle.pointer(), state, keyGroup, key, keyLen);
        } while (again(status));
        return status == 1;
    }

    // ---- map rows

    /** As {@link #valueGet} for one map entry; the value begins with its null flag. */
    public int mapGet(
            int state,
            int keyGroup,
            MemorySegment key,
            int prefixLen,
            int keyLen,
            MemorySegment out,
            int capacity) {
        return check(
                CriticalCalls.sf_map_get(
                        handle.pointer(), state, keyGroup, key, prefixLen, keyLen, out, capacity));
    }

    /** Writes or replaces one map entry; the value begins with its null flag. */
    public void mapPut(
            int state,
            int keyGroup,
            MemorySegment key,
            int prefixLen,
            int keyLen,
            MemorySegment value,
            int valueLen) {
        int status;
        do {
            status =
                    CriticalCalls.sf_map_put(
                            handle.pointer(),
                            state,
                            keyGroup,
                            key,
                            prefixLen,
                            keyLen,
                            value,
                            valueLen);
        } while (again(status));
    }

    /** Removes one map entry; true when there was one. */
    public boolean mapRemove(
            int state, int keyGroup, MemorySegment key, int prefixLen, int keyLen) {
        int status;
        do {
            status =
                    CriticalCalls.sf_map_remove(
                            handle.pointer(), state, keyGroup, key, prefixLen, keyLen);
        } while (again(status));
        return status == 1;
    }

    /** Number of entries of one map. */
    public int mapSize(int state, int keyGroup, MemorySegment key, int prefixLen) {
        return check(CriticalCalls.sf_map_size(handle.pointer(), state, keyGroup, key, prefixLen));
    }

    /**
     * Reads the next entries {@code [i32 user key length][i32 value length][user key][value]} of
     * one map in insertion order. Cursor 0 begins; the map may change between chunks, and an entry
     * that is there throughout is seen exactly once.
     */
    public void mapScan(
            int state,
            int keyGroup,
            MemorySegment key,
            int prefixLen,
            long cursor,
            NativeChunk out) {
        int status;
        while (true) {
            status =
                    CriticalCalls.sf_map_scan(
                            handle.pointer(),
                            state,
                            keyGroup,
                            key,
                            prefixLen,
                            cursor,
                            out.segment(),
                            out.capacity());
            if (status != NativeStatus.TOO_SMALL) {
                out.filled(check(status));
                return;
            }
            out.growToNeeded();
        }
    }

    /** Removes all entries of one map. */
    public void mapClear(int state, int keyGroup, MemorySegment key, int prefixLen) {
        int left;
        do {
            left = CriticalCalls.sf_map_clear(handle.pointer(), state, keyGroup, key, prefixLen);
        } while (again(left) || left > 0);
    }

    // ---- lists

    /** Appends an element, or several already joined by the list delimiter. */
    public void listAdd(
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment element,
            int elementLen) {
        int status;
        do {
            status =
                    CriticalCalls.sf_list_add(
                            handle.pointer(), state, keyGroup, key, keyLen, element, elementLen);
        } while (again(status));
    }

    /** As {@link #valueGet} for the joined elements of one list. */
    public int listGet(
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment out,
            int capacity) {
        return check(
                CriticalCalls.sf_list_get(
                        handle.pointer(), state, keyGroup, key, keyLen, out, capacity));
    }

    /** Replaces a list by elements joined with the list delimiter. */
    public void listPut(
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment joined,
            int joinedLen) {
        int status;
        do {
            status =
                    CriticalCalls.sf_list_put(
                            handle.pointer(), state, keyGroup, key, keyLen, joined, joinedLen);
        } while (again(status));
    }

    /** Removes a list. */
    public void listClear(int state, int keyGroup, MemorySegment key, int keyLen) {
        int left;
        do {
            left = CriticalCalls.sf_list_clear(handle.pointer(), state, keyGroup, key, keyLen);
        } while (again(left) || left > 0);
    }

    // ---- timers

    /** Adds an element: 0 it was there already, 1 added, 2 added and it is the head now. */
    public int timerAdd(int state, int keyGroup, MemorySegment element, int length) {
        int status;
        do {
            status = CriticalCalls.sf_timer_add(handle.pointer(), state, keyGroup, element, length);
        } while (again(status));
        return status;
    }

    /** Removes an element: 0 it was not there, 1 removed, 2 removed and it was the head. */
    public int timerRemove(int state, int keyGroup, MemorySegment element, int length) {
        int status;
        do {
            status =
                    CriticalCalls.sf_timer_remove(
                            handle.pointer(), state, keyGroup, element, length);
        } while (again(status));
        return status;
    }

    /** Copies the smallest element of all key groups; result as {@link #valueGet}. */
    public int timerPeek(int state, MemorySegment out, int capacity) {
        return check(CriticalCalls.sf_timer_peek(handle.pointer(), state, out, capacity));
    }

    /**
     * As {@link #timerPeek}, and removes the element unless it was longer than {@code capacity}.
     */
    public int timerPoll(int state, MemorySegment out, int capacity) {
        int status;
        do {
            status = CriticalCalls.sf_timer_poll(handle.pointer(), state, out, capacity);
        } while (again(status));
        return status;
    }

    // ---- scans; the store must not change between chunks, unless said

    /**
     * Reads the next entries {@code [i32 length][bytes]} of one key group: the key of a value row,
     * each distinct {@code [key][namespace]} of a list or map, or a timer element.
     */
    public void keysScan(int state, int keyGroup, long cursor, NativeChunk out) {
        while (true) {
            MemorySegment memory = scratch.ensure(out.capacity());
            int status =
                    StreamFusionAbi.sf_keys_scan(
                            handle.pointer(), state, keyGroup, cursor, memory, scratch.capacity());
            if (received(status, memory, out)) {
                return;
            }
        }
    }

    /**
     * Reads the next entries {@code [i32 key length][i32 prefix length][i32 value
     * length][key][value]} of one key group; a list is one row with its elements joined. Replacing
     * the value of a row that was returned is allowed between chunks.
     */
    public void rowsScan(int state, int keyGroup, long cursor, NativeChunk out) {
        while (true) {
            MemorySegment memory = scratch.ensure(out.capacity());
            int status =
                    StreamFusionAbi.sf_rows_scan(
                            handle.pointer(), state, keyGroup, cursor, memory, scratch.capacity());
            if (received(status, memory, out)) {
                return;
            }
        }
    }

    private boolean received(int status, MemorySegment from, NativeChunk out) {
        if (status == NativeStatus.TOO_SMALL) {
            out.ensureCapacity(scratch.needed());
            return false;
        }
        out.receive(from, check(status));
        return true;
    }

    // ---- upkeep

    /**
     * Does a bounded piece of background work: compaction, removal of expired rows.
     *
     * @param nowMillis the time-to-live clock
     * @return true when more work is waiting
     */
    public boolean maintain(long nowMillis) {
        return check(StreamFusionAbi.sf_store_maintain(handle.pointer(), nowMillis)) == 1;
    }

    /** Counters of this store; by the owning thread only. */
    public NativeStoreStats stats() {
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
        MemorySegment pointer =
                StreamFusionAbi.sf_snapshot_begin(
                        handle.pointer(), checkpointId, mode.code(), compression.code(), ttlNow);
        return new NativeSnapshot(
                new NativeHandle("snapshot", pointer, StreamFusionAbi::sf_snapshot_free));
    }

    /** The checkpoint is complete: later incremental snapshots build on it. */
    public void checkpointComplete(long checkpointId) {
        check(StreamFusionAbi.sf_checkpoint_complete(handle.pointer(), checkpointId));
    }

    /** The checkpoint will never complete: what it froze is written again by the next one. */
    public void checkpointAbort(long checkpointId) {
        check(StreamFusionAbi.sf_checkpoint_abort(handle.pointer(), checkpointId));
    }

    // ---- restore

    /**
     * Creates a loader of segment files. Several threads may load different key groups of one
     * store, each with its own loader, while nothing else touches the store.
     *
     * @param idMap at the state identifier of the file the identifier in this store, -1 for unknown
     */
    public NativeLoader newLoader(int[] idMap) {
        MemorySegment ids = scratch.ensure(Math.max(1, idMap.length) * Integer.BYTES);
        MemorySegment.copy(idMap, 0, ids, ValueLayout.JAVA_INT, 0, idMap.length);
        MemorySegment pointer = StreamFusionAbi.sf_loader_new(handle.pointer(), ids, idMap.length);
        return new NativeLoader(
                new NativeHandle("loader", pointer, StreamFusionAbi::sf_loader_free), budgetAdvice);
    }

    /** Makes loaded rows usable; after all loaders are closed. */
    public void restoreFinish() {
        check(StreamFusionAbi.sf_restore_finish(handle.pointer()));
    }

    /**
     * Lets incremental snapshots continue from the restored checkpoint; after {@link
     * #restoreFinish()}.
     *
     * @param segments the segment list of {@link NativeSnapshot#describe()} from its count on
     */
    public void restoreChain(byte[] segments) {
        MemorySegment bytes = scratch.put(segments, 0, segments.length);
        check(StreamFusionAbi.sf_restore_chain(handle.pointer(), bytes, segments.length));
    }

    /** Panics inside the native guard and poisons this store: for tests of that path only. */
    public void testPanic() {
        check(StreamFusionAbi.sf_test_panic(handle.pointer()));
    }

    // ---- outcomes

    /**
     * Whether the call has to be repeated because the store had to grow first; throws when it failed.
     */
    private boolean again(int status) {
        if (status >= NativeStatus.ABSENT) {
            return false;
        }
        if (status != NativeStatus.NEEDS_RESERVE) {
            throw failure(status);
        }
        check(StreamFusionAbi.sf_store_reserve(handle.pointer()));
        return true;
    }

    private int check(int status) {
        if (status < NativeStatus.TOO_SMALL) {
            throw failure(status);
        }
        return status;
    }

    private NativeException failure(int status) {
        return NativeStatus.failure(status, budgetAdvice);
    }
}
