package io.streamfusion.ffi;

/**
 * A keyed backend whose rows are in a native store, as a native operator sees it: the door for
 * batches. The states are registered, and their serializers kept, in Flink's way.
 *
 * <p>For the task thread, between two records.
 */
public interface NativeStoreOwner {
    /** The store; not to be kept beyond the backend's life. */
    NativeStore store();

    /**
     * Identifier of a state's table in the store.
     *
     * @throws IllegalArgumentException when no state of that name is registered
     */
    int stateId(String name);

    /** The time-to-live clock, in milliseconds. */
    long now();

    /**
     * Says that a native operator has accessed the rows of so many keys, since the store's upkeep
     * goes by them.
     */
    void keysAccessed(int keys);
}
