package io.streamfusion.state.paimon;

import io.streamfusion.state.memory.NativeStateBackend;
import io.streamfusion.state.memory.keyed.BackendForms;
import io.streamfusion.state.memory.restore.SegmentFormReader;
import io.streamfusion.state.paimon.commit.TableForm;
import io.streamfusion.state.paimon.commit.TableOwner;
import io.streamfusion.state.paimon.commit.TableSettings;
import io.streamfusion.state.paimon.restore.TableFormReader;
import io.streamfusion.state.paimon.spill.SpillSettings;
import java.io.IOException;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.util.TernaryBoolean;

/**
 * Keeps keyed state in native memory, within the slot's managed memory, and what does not fit in
 * local files. Checkpoints are snapshots of Paimon tables, which any reader of Paimon can query.
 * Needs Paimon's Flink connector on the class path.
 *
 * <p>Configured by {@link PaimonOptions} and by what {@link NativeStateBackend} names.
 */
public class StreamFusionPaimonStateBackend extends NativeStateBackend {
    private static final long serialVersionUID = 1L;

    private static final String TYPE = "streamfusion-paimon";
    private static final String PAIMON_CLASS = "org.apache.paimon.flink.FlinkFileIO";

    private final TableSettings tables;
    private final SpillSettings spilling;

    /** Creates a backend with the default options. */
    public StreamFusionPaimonStateBackend() {
        this(TernaryBoolean.UNDEFINED, new Configuration());
    }

    /**
     * Creates a backend with the default options otherwise.
     *
     * @param incremental whether checkpoints write only what changed; wins over the configuration
     */
    public StreamFusionPaimonStateBackend(boolean incremental) {
        this(TernaryBoolean.fromBoolean(incremental), new Configuration());
    }

    private StreamFusionPaimonStateBackend(TernaryBoolean incremental, ReadableConfig config) {
        super(incremental, config);
        this.tables =
                new TableSettings(
                        (int) atLeast(1, PaimonOptions.BUCKETS, config),
                        config.get(PaimonOptions.TARGET_FILE_SIZE).getBytes(),
                        atLeast(0, PaimonOptions.COMPACTION_MAX_ROWS, config),
                        (int) atLeast(1, PaimonOptions.COMPACTION_DEAD_PERCENT, config),
                        (int) atLeast(2, PaimonOptions.COMPACTION_FAN_IN, config),
                        config.get(PaimonOptions.COMPRESSION),
                        config.get(PaimonOptions.TYPED_COLUMNS));
        this.spilling =
                new SpillSettings(
                        config.get(PaimonOptions.SPILL_ENABLED),
                        config.getOptional(PaimonOptions.SPILL_DIRECTORIES).orElse(List.of()));
    }

    private static long atLeast(
            long least, ConfigOption<? extends Number> option, ReadableConfig config) {
        long value = config.get(option).longValue();
        if (value < least) {
            throw new IllegalConfigurationException(
                    String.format("%s is %d: it must be %d or more.", option.key(), value, least));
        }
        return value;
    }

    /**
     * A copy of this backend with the options of {@code config}. Flink calls it where a job is
     * submitted as well as in each task, so that a missing jar is told before anything runs.
     *
     * @throws IllegalConfigurationException when Paimon's jar is missing, too
     */
    @Override
    public StreamFusionPaimonStateBackend configure(
            ReadableConfig config, ClassLoader classLoader) {
        requirePaimon();
        return configured(
                new StreamFusionPaimonStateBackend(incrementalAsCreated(), config), config);
    }

    @Override
    public String getName() {
        return TYPE;
    }

    @Override
    protected BackendForms forms(KeyedStateBackendParameters<?> parameters) throws IOException {
        TableForm form =
                new TableForm(
                        TYPE,
                        tables,
                        TableOwner.of(parameters),
                        spilling.parents(parameters.getEnv()));
        return new BackendForms(
                form, List.of(new TableFormReader(form), new SegmentFormReader(false)));
    }

    private static void requirePaimon() {
        try {
            Class.forName(
                    PAIMON_CLASS, false, StreamFusionPaimonStateBackend.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalConfigurationException(
                    "The state backend "
                            + TYPE
                            + " needs Paimon's Flink connector: put paimon-flink-2.0-2.0.0.jar"
                            + " (org.apache.paimon:paimon-flink-2.0) into Flink's lib folder,"
                            + " beside StreamFusion's jar, on every machine.",
                    e);
        }
    }
}
