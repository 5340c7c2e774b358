package io.streamfusion.state.memory;

import io.streamfusion.ffi.NativeCompression;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;

/** The options of the {@code streamfusion-memory} state backend. */
public final class StreamFusionOptions {
    /** Take the budget from the slot's managed memory. */
    public static final ConfigOption<Boolean> USE_MANAGED_MEMORY =
            ConfigOptions.key("state.backend.streamfusion.memory.managed")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether the native state of a slot is limited to the slot's managed"
                                    + " memory ("
                                    + TaskManagerOptions.MANAGED_MEMORY_SIZE.key()
                                    + " or "
                                    + TaskManagerOptions.MANAGED_MEMORY_FRACTION.key()
                                    + ", divided by the slots). When false, a fixed size per slot"
                                    + " has to be given.");

    /** A budget of its own instead of managed memory. */
    public static final ConfigOption<MemorySize> FIXED_PER_SLOT =
            ConfigOptions.key("state.backend.streamfusion.memory.fixed-per-slot")
                    .memoryType()
                    .noDefaultValue()
                    .withDescription(
                            "Limit of the native state of one slot. Overrides managed memory; the"
                                    + " container must have this much beside the memory that Flink"
                                    + " knows of.");

    /** Size of the pieces in which native memory is taken. */
    public static final ConfigOption<MemorySize> CHUNK_SIZE =
            ConfigOptions.key("state.backend.streamfusion.memory.chunk-size")
                    .memoryType()
                    .noDefaultValue()
                    .withDescription(
                            "Size of the pieces in which a key group takes native memory for its"
                                    + " rows, 4kb to 256kb; the first ones are smaller. By default"
                                    + " it follows from the memory per key group, 16kb to 256kb.");

    /** Compression of segment files. */
    public static final ConfigOption<NativeCompression> CHECKPOINT_COMPRESSION =
            ConfigOptions.key("state.backend.streamfusion.checkpoint.compression")
                    .enumType(NativeCompression.class)
                    .defaultValue(NativeCompression.LZ4)
                    .withDescription(
                            "Compression of the segment files of checkpoints and native savepoints."
                                + " Files of any compression can be restored, whatever is set.");

    /** Parallel restore. */
    public static final ConfigOption<Integer> RESTORE_THREADS =
            ConfigOptions.key("state.backend.streamfusion.restore.threads")
                    .intType()
                    .defaultValue(4)
                    .withDescription(
                            "Threads that read the key groups of one keyed backend at the same time"
                                    + " while it is restored.");

    /** Removal of expired rows while the job runs. */
    public static final ConfigOption<Boolean> TTL_SWEEP =
            ConfigOptions.key("state.backend.streamfusion.ttl.sweep")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether rows past their time to live are removed in small steps while"
                                    + " records are processed, for states whose TTL configuration"
                                    + " has background cleanup on. Expired rows are never returned"
                                    + " either way.");

    private StreamFusionOptions() {}
}
