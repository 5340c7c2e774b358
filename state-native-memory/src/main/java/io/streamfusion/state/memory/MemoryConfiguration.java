package io.streamfusion.state.memory;

import io.streamfusion.ffi.NativeBudget;
import java.io.Serializable;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;

/**
 * Where the native memory of a slot comes from: its managed memory, or a fixed size. All keyed
 * backends of a slot share one budget.
 *
 * @param managed take the slot's managed memory
 * @param fixedPerSlot overrides managed memory when it is set
 */
record MemoryConfiguration(boolean managed, @Nullable MemorySize fixedPerSlot)
        implements Serializable {
    private static final String MANAGED_ID = "streamfusion-state-managed-memory";
    private static final String FIXED_ID = "streamfusion-state-fixed-memory";

    private static final int MIN_CHUNK_BYTES = 4 * 1024;
    private static final int MAX_CHUNK_BYTES = 256 * 1024;

    private static final String MANAGED_ADVICE =
            "Raise "
                    + TaskManagerOptions.MANAGED_MEMORY_SIZE.key()
                    + " or "
                    + TaskManagerOptions.MANAGED_MEMORY_FRACTION.key()
                    + ", use more or smaller slots, or set "
                    + StreamFusionOptions.FIXED_PER_SLOT.key()
                    + ".";
    private static final String FIXED_ADVICE =
            "Raise " + StreamFusionOptions.FIXED_PER_SLOT.key() + ".";

    static MemoryConfiguration from(ReadableConfig config) {
        MemoryConfiguration memory =
                new MemoryConfiguration(
                        config.get(StreamFusionOptions.USE_MANAGED_MEMORY),
                        config.getOptional(StreamFusionOptions.FIXED_PER_SLOT).orElse(null));
        if (!memory.managed && memory.fixedPerSlot == null) {
            throw new IllegalConfigurationException(
                    String.format(
                            "%s is false: set %s, so that native memory has a limit.",
                            StreamFusionOptions.USE_MANAGED_MEMORY.key(),
                            StreamFusionOptions.FIXED_PER_SLOT.key()));
        }
        return memory;
    }

    /** Size of the memory pieces of a store, within what it accepts; 0 leaves the choice to it. */
    static int chunkBytes(ReadableConfig config) {
        Optional<MemorySize> size = config.getOptional(StreamFusionOptions.CHUNK_SIZE);
        if (size.isEmpty()) {
            return 0;
        }
        long bytes = size.get().getBytes();
        if (bytes < MIN_CHUNK_BYTES || bytes > MAX_CHUNK_BYTES) {
            throw new IllegalConfigurationException(
                    String.format(
                            "%s is %d bytes: it must be %d to %d.",
                            StreamFusionOptions.CHUNK_SIZE.key(),
                            bytes,
                            MIN_CHUNK_BYTES,
                            MAX_CHUNK_BYTES));
        }
        return (int) bytes;
    }

    /**
     * The slot's budget, created for the first backend and freed after the last one.
     *
     * @param managedFraction this use's fraction of the slot's managed memory
     */
    OpaqueMemoryResource<NativeBudget> acquire(MemoryManager slot, double managedFraction)
            throws Exception {
        if (fixedPerSlot != null) {
            return slot.getExternalSharedMemoryResource(
                    FIXED_ID,
                    size -> NativeBudget.create(size, FIXED_ADVICE),
                    fixedPerSlot.getBytes());
        }
        return slot.getSharedMemoryResourceForManagedMemory(
                MANAGED_ID, size -> NativeBudget.create(size, MANAGED_ADVICE), managedFraction);
    }
}
