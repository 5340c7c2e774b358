package io.streamfusion.ffi;

import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The hot functions, linked as critical calls: a third of an ordinary call's cost, and segments may
 * be heap arrays, which are neither copied nor moved meanwhile.
 *
 * <p>A critical call keeps the garbage collector waiting, so only functions are here that promise
 * bounded work: those whose comment in the C header begins with "Critical:". A test compares the
 * two lists. Names and arguments are those of the C header, which also documents results.
 */
@SuppressWarnings("MemberName")
public final class CriticalCalls {
    private static final MethodHandle VALUE_GET =
            critical(
                    StreamFusionAbi.sf_value_get$address(),
                    StreamFusionAbi.sf_value_get$descriptor());
    private static final MethodHandle VALUE_PUT =
            critical(
                    StreamFusionAbi.sf_value_put$address(),
                    StreamFusionAbi.sf_value_put$descriptor());
    private static final MethodHandle VALUE_REMOVE =
            critical(
                    StreamFusionAbi.sf_value_remove$address(),
                    StreamFusionAbi.sf_value_remove$descriptor());
    private static final MethodHandle MAP_GET =
            critical(StreamFusionAbi.sf_map_get$address(), StreamFusionAbi.sf_map_get$descriptor());
    private static final MethodHandle MAP_PUT =
            critical(StreamFusionAbi.sf_map_put$address(), StreamFusionAbi.sf_map_put$descriptor());
    private static final MethodHandle MAP_REMOVE =
            critical(
                    StreamFusionAbi.sf_map_remove$address(),
                    StreamFusionAbi.sf_map_remove$descriptor());
    private static final MethodHandle MAP_SIZE =
            critical(
                    StreamFusionAbi.sf_map_size$address(),
                    StreamFusionAbi.sf_map_size$descriptor());
    private static final MethodHandle MAP_SCAN =
            critical(
                    StreamFusionAbi.sf_map_scan$address(),
                    StreamFusionAbi.sf_map_scan$descriptor());
    private static final MethodHandle MAP_CLEAR =
            critical(
                    StreamFusionAbi.sf_map_clear$address(),
                    StreamFusionAbi.sf_map_clear$descriptor());
    private static final MethodHandle LIST_ADD =
            critical(
                    StreamFusionAbi.sf_list_add$address(),
                    StreamFusionAbi.sf_list_add$descriptor());
    private static final MethodHandle LIST_GET =
            critical(
                    StreamFusionAbi.sf_list_get$address(),
                    StreamFusionAbi.sf_list_get$descriptor());
    private static final MethodHandle LIST_PUT =
            critical(
                    StreamFusionAbi.sf_list_put$address(),
                    StreamFusionAbi.sf_list_put$descriptor());
    private static final MethodHandle LIST_CLEAR =
            critical(
                    StreamFusionAbi.sf_list_clear$address(),
                    StreamFusionAbi.sf_list_clear$descriptor());
    private static final MethodHandle TIMER_ADD =
            critical(
                    StreamFusionAbi.sf_timer_add$address(),
                    StreamFusionAbi.sf_timer_add$descriptor());
    private static final MethodHandle TIMER_REMOVE =
            critical(
                    StreamFusionAbi.sf_timer_remove$address(),
                    StreamFusionAbi.sf_timer_remove$descriptor());
    private static final MethodHandle TIMER_PEEK =
            critical(
                    StreamFusionAbi.sf_timer_peek$address(),
                    StreamFusionAbi.sf_timer_peek$descriptor());
    private static final MethodHandle TIMER_POLL =
            critical(
                    StreamFusionAbi.sf_timer_poll$address(),
                    StreamFusionAbi.sf_timer_poll$descriptor());

    private CriticalCalls() {}

    @SuppressWarnings("restricted")
    private static MethodHandle critical(MemorySegment address, FunctionDescriptor descriptor) {
        return Linker.nativeLinker()
                .downcallHandle(address, descriptor, Linker.Option.critical(true));
    }

    /** See the C header. */
    public static int sf_value_get(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment out,
            int capacity) {
        try {
            return (int) VALUE_GET.invokeExact(store, state, keyGroup, key, keyLen, out, capacity);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_value_put(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment value,
            int valueLen) {
        try {
            return (int)
                    VALUE_PUT.invokeExact(store, state, keyGroup, key, keyLen, value, valueLen);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_value_remove(
            MemorySegment store, int state, int keyGroup, MemorySegment key, int keyLen) {
        try {
            return (int) VALUE_REMOVE.invokeExact(store, state, keyGroup, key, keyLen);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_map_get(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int prefixLen,
            int keyLen,
            MemorySegment out,
            int capacity) {
        try {
            return (int)
                    MAP_GET.invokeExact(
                            store, state, keyGroup, key, prefixLen, keyLen, out, capacity);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_map_put(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int prefixLen,
            int keyLen,
            MemorySegment value,
            int valueLen) {
        try {
            return (int)
                    MAP_PUT.invokeExact(
                            store, state, keyGroup, key, prefixLen, keyLen, value, valueLen);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_map_remove(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int prefixLen,
            int keyLen) {
        try {
            return (int) MAP_REMOVE.invokeExact(store, state, keyGroup, key, prefixLen, keyLen);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_map_size(
            MemorySegment store, int state, int keyGroup, MemorySegment key, int prefixLen) {
        try {
            return (int) MAP_SIZE.invokeExact(store, state, keyGroup, key, prefixLen);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_map_scan(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int prefixLen,
            long cursor,
            MemorySegment out,
            int capacity) {
        try {
            return (int)
                    MAP_SCAN.invokeExact(
                            store, state, keyGroup, key, prefixLen, cursor, out, capacity);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_map_clear(
            MemorySegment store, int state, int keyGroup, MemorySegment key, int prefixLen) {
        try {
            return (int) MAP_CLEAR.invokeExact(store, state, keyGroup, key, prefixLen);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_list_add(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment element,
            int elementLen) {
        try {
            return (int)
                    LIST_ADD.invokeExact(store, state, keyGroup, key, keyLen, element, elementLen);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_list_get(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment out,
            int capacity) {
        try {
            return (int) LIST_GET.invokeExact(store, state, keyGroup, key, keyLen, out, capacity);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_list_put(
            MemorySegment store,
            int state,
            int keyGroup,
            MemorySegment key,
            int keyLen,
            MemorySegment joined,
            int length) {
        try {
            return (int) LIST_PUT.invokeExact(store, state, keyGroup, key, keyLen, joined, length);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_list_clear(
            MemorySegment store, int state, int keyGroup, MemorySegment key, int keyLen) {
        try {
            return (int) LIST_CLEAR.invokeExact(store, state, keyGroup, key, keyLen);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_timer_add(
            MemorySegment store, int state, int keyGroup, MemorySegment element, int length) {
        try {
            return (int) TIMER_ADD.invokeExact(store, state, keyGroup, element, length);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_timer_remove(
            MemorySegment store, int state, int keyGroup, MemorySegment element, int length) {
        try {
            return (int) TIMER_REMOVE.invokeExact(store, state, keyGroup, element, length);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_timer_peek(
            MemorySegment store, int state, MemorySegment out, int capacity) {
        try {
            return (int) TIMER_PEEK.invokeExact(store, state, out, capacity);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }

    /** See the C header. */
    public static int sf_timer_poll(
            MemorySegment store, int state, MemorySegment out, int capacity) {
        try {
            return (int) TIMER_POLL.invokeExact(store, state, out, capacity);
        } catch (Throwable t) {
            throw NativeStatus.unreachable(t);
        }
    }
}
