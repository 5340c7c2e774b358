package io.streamfusion.state.paimon;

import io.streamfusion.ffi.NativeTableCompression;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options of the {@code streamfusion-paimon} state backend, beside those of all our backends.
 */
public final class PaimonOptions {
    /** Buckets of a table. */
    public static final ConfigOption<Integer> BUCKETS =
            ConfigOptions.key("state.backend.streamfusion.paimon.buckets")
                    .intType()
                    .defaultValue(4)
                    .withDescription(
                            "Number of buckets of the table of each keyed backend; a key group's"
                                    + " bucket is its number modulo this. Each bucket that changes"
                                    + " costs a file per checkpoint. After a change the first"
                                    + " checkpoint writes the whole state.");

    /** Compression of data files. */
    public static final ConfigOption<NativeTableCompression> COMPRESSION =
            ConfigOptions.key("state.backend.streamfusion.paimon.compression")
                    .enumType(NativeTableCompression.class)
                    .defaultValue(NativeTableCompression.ZSTD)
                    .withDescription("Compression of new data files (Zstandard at its level 1).");

    /** Size of data files. */
    public static final ConfigOption<MemorySize> TARGET_FILE_SIZE =
            ConfigOptions.key("state.backend.streamfusion.paimon.target-file-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(128))
                    .withDescription("Size at which a data file is ended and the next one begun.");

    /** Limit of the rows that compaction writes again. */
    public static final ConfigOption<Long> COMPACTION_MAX_ROWS =
            ConfigOptions.key("state.backend.streamfusion.paimon.compaction.max-rows")
                    .longType()
                    .defaultValue(1L << 20)
                    .withDescription(
                            "Living rows that one checkpoint writes again at most, so that files"
                                    + " and dead rows stay few. One file, or one group of files of"
                                    + " like size, may always be written again.");

    /** Share of dead rows from which a file is written again. */
    public static final ConfigOption<Integer> COMPACTION_DEAD_PERCENT =
            ConfigOptions.key("state.backend.streamfusion.paimon.compaction.dead-percent")
                    .intType()
                    .defaultValue(50)
                    .withDescription(
                            "A data file is written again when so many percent of its rows are"
                                    + " dead.");

    /** Number of files of like size that become one. */
    public static final ConfigOption<Integer> COMPACTION_FAN_IN =
            ConfigOptions.key("state.backend.streamfusion.paimon.compaction.fan-in")
                    .intType()
                    .defaultValue(6)
                    .withDescription(
                            "So many data files of like size in one bucket are written again as"
                                    + " one.");

    /** Columns of decoded keys and values. */
    public static final ConfigOption<Boolean> TYPED_COLUMNS =
            ConfigOptions.key("state.backend.streamfusion.paimon.typed-columns")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether keys and values whose serializers are known (numbers,"
                                    + " booleans, strings, rows of SQL) are also columns of the"
                                    + " table, for people to read. Their bytes are there either"
                                    + " way.");

    /** Whether rows go to local files when memory is used up. */
    public static final ConfigOption<Boolean> SPILL_ENABLED =
            ConfigOptions.key("state.backend.streamfusion.paimon.spill.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether the rows that were used least recently go to files on local"
                                    + " disks when the memory of a slot is used up. Otherwise the"
                                    + " write that does not fit fails, as with"
                                    + " streamfusion-memory.");

    /** Where these files are. */
    public static final ConfigOption<List<String>> SPILL_DIRECTORIES =
            ConfigOptions.key("state.backend.streamfusion.paimon.spill.directories")
                    .stringType()
                    .asList()
                    .noDefaultValue()
                    .withDescription(
                            "Local directories for the files of spilled rows. Each keyed backend"
                                    + " takes the next one of them. Their names are removed as soon"
                                    + " as the files are open, so that their space comes back"
                                    + " however the process ends. By default Flink's temporary"
                                    + " directories ("
                                    + CoreOptions.TMP_DIRS.key()
                                    + ").");

    private PaimonOptions() {}
}
