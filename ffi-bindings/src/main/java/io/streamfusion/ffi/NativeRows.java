package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;

/**
 * The rows of a {@link NativeStore}: single rows by critical calls, scans by ordinary ones.
 *
 * <p>A key is {@code [key][namespace]} or, for maps, {@code [key][namespace][user key]} as Flink's
 * composite key without its key-group prefix; {@code prefixLen} is the length of {@code
 * [key][namespace]}. {@code keyGroup} is absolute. Segments may be heap or native ones.
 */
abstract class NativeRows {
    final NativeHandle handle;
    final NativeScratch scratch = new NativeScratch();
    final StoreGate gate = new StoreGate();
    NativeAdvice advice;

    NativeRows(NativeHandle handle, NativeAdvice advice) {
        this.handle = handle;
        this.advice = advice;
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
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_value_get(
                                handle.pointer(), state, keyGroup, key, keyLen, out, capacity);
            } while (again(status));
            return status;
        } finally {
            gate.leave(gated);
        }
    }

    /** Writes or replaces a value. */
    public void valuePut(
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment value,
            int valueLen) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_value_put(
                                handle.pointer(), state, keyGroup, key, keyLen, value, valueLen);
            } while (again(status));
        } finally {
            gate.leave(gated);
        }
    }

    /** Removes a value; true when there was one. */
    public boolean valueRemove(int state, int keyGroup, MemorySegment key, int keyLen) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_value_remove(
                                handle.pointer(), state, keyGroup, key, keyLen);
            } while (again(status));
            return status == 1;
        } finally {
            gate.leave(gated);
        }
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
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_map_get(
                                handle.pointer(),
                                state,
                                keyGroup,
                                key,
                                prefixLen,
                                keyLen,
                                out,
                                capacity);
            } while (again(status));
            return status;
        } finally {
            gate.leave(gated);
        }
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
        boolean gated = gate.enter();
        try {
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
        } finally {
            gate.leave(gated);
        }
    }

    /** Removes one map entry; true when there was one. */
    public boolean mapRemove(
            int state, int keyGroup, MemorySegment key, int prefixLen, int keyLen) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_map_remove(
                                handle.pointer(), state, keyGroup, key, prefixLen, keyLen);
            } while (again(status));
            return status == 1;
        } finally {
            gate.leave(gated);
        }
    }

    /** Number of entries of one map. */
    public int mapSize(int state, int keyGroup, MemorySegment key, int prefixLen) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_map_size(
                                handle.pointer(), state, keyGroup, key, prefixLen);
            } while (again(status));
            return status;
        } finally {
            gate.leave(gated);
        }
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
        boolean gated = gate.enter();
        try {
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
                if (status == NativeStatus.TOO_SMALL) {
                    out.growToNeeded();
                } else if (!again(status)) {
                    out.filled(status);
                    return;
                }
            }
        } finally {
            gate.leave(gated);
        }
    }

    /** Removes all entries of one map. */
    public void mapClear(int state, int keyGroup, MemorySegment key, int prefixLen) {
        boolean gated = gate.enter();
        try {
            int left;
            do {
                left =
                        CriticalCalls.sf_map_clear(
                                handle.pointer(), state, keyGroup, key, prefixLen);
            } while (again(left) || left > 0);
        } finally {
            gate.leave(gated);
        }
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
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_list_add(
                                handle.pointer(),
                                state,
                                keyGroup,
                                key,
                                keyLen,
                                element,
                                elementLen);
            } while (again(status));
        } finally {
            gate.leave(gated);
        }
    }

    /** As {@link #valueGet} for the joined elements of one list. */
    public int listGet(
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment out,
            int capacity) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_list_get(
                                handle.pointer(), state, keyGroup, key, keyLen, out, capacity);
            } while (again(status));
            return status;
        } finally {
            gate.leave(gated);
        }
    }

    /** Replaces a list by elements joined with the list delimiter. */
    public void listPut(
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment joined,
            int joinedLen) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_list_put(
                                handle.pointer(), state, keyGroup, key, keyLen, joined, joinedLen);
            } while (again(status));
        } finally {
            gate.leave(gated);
        }
    }

    /** Removes a list. */
    public void listClear(int state, int keyGroup, MemorySegment key, int keyLen) {
        boolean gated = gate.enter();
        try {
            int left;
            do {
                left = CriticalCalls.sf_list_clear(handle.pointer(), state, keyGroup, key, keyLen);
            } while (again(left) || left > 0);
        } finally {
            gate.leave(gated);
        }
    }

    // ---- timers

    /** Adds an element: 0 it was there already, 1 added, 2 added and it is the head now. */
    public int timerAdd(int state, int keyGroup, MemorySegment element, int length) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_timer_add(
                                handle.pointer(), state, keyGroup, element, length);
            } while (again(status));
            return status;
        } finally {
            gate.leave(gated);
        }
    }

    /** Removes an element: 0 it was not there, 1 removed, 2 removed and it was the head. */
    public int timerRemove(int state, int keyGroup, MemorySegment element, int length) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status =
                        CriticalCalls.sf_timer_remove(
                                handle.pointer(), state, keyGroup, element, length);
            } while (again(status));
            return status;
        } finally {
            gate.leave(gated);
        }
    }

    /** Copies the smallest element of all key groups; result as {@link #valueGet}. */
    public int timerPeek(int state, MemorySegment out, int capacity) {
        boolean gated = gate.enter();
        try {
            return check(CriticalCalls.sf_timer_peek(handle.pointer(), state, out, capacity));
        } finally {
            gate.leave(gated);
        }
    }

    /**
     * As {@link #timerPeek}, and removes the element unless it was longer than {@code capacity}.
     */
    public int timerPoll(int state, MemorySegment out, int capacity) {
        boolean gated = gate.enter();
        try {
            int status;
            do {
                status = CriticalCalls.sf_timer_poll(handle.pointer(), state, out, capacity);
            } while (again(status));
            return status;
        } finally {
            gate.leave(gated);
        }
    }

    // ---- scans; the store must not change between chunks, unless said

    /**
     * Reads the next entries {@code [i32 length][bytes]} of one key group: the key of a value row,
     * each distinct {@code [key][namespace]} of a list or map, or a timer element.
     */
    public void keysScan(int state, int keyGroup, long cursor, NativeChunk out) {
        boolean gated = gate.enter();
        try {
            while (true) {
                MemorySegment memory = scratch.ensure(out.capacity());
                int status =
                        StreamFusionAbi.sf_keys_scan(
                                handle.pointer(),
                                state,
                                keyGroup,
                                cursor,
                                memory,
                                scratch.capacity());
                if (received(status, memory, out)) {
                    return;
                }
            }
        } finally {
            gate.leave(gated);
        }
    }

    /**
     * Reads the next entries {@code [i32 key length][i32 prefix length][i32 value
     * length][key][value]} of one key group; a list is one row with its elements joined. Replacing
     * the value of a row that was returned is allowed between chunks.
     */
    public void rowsScan(int state, int keyGroup, long cursor, NativeChunk out) {
        boolean gated = gate.enter();
        try {
            while (true) {
                MemorySegment memory = scratch.ensure(out.capacity());
                int status =
                        StreamFusionAbi.sf_rows_scan(
                                handle.pointer(),
                                state,
                                keyGroup,
                                cursor,
                                memory,
                                scratch.capacity());
                if (received(status, memory, out)) {
                    return;
                }
            }
        } finally {
            gate.leave(gated);
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

    // ---- outcomes

    /**
     * Whether the call has to be repeated because the store had to grow first; throws when it
     * failed.
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

    final int check(int status) {
        if (status < NativeStatus.TOO_SMALL) {
            throw failure(status);
        }
        return status;
    }

    final NativeException failure(int status) {
        return NativeStatus.failure(status, advice);
    }
}
