package io.streamfusion.state.paimon.kit;

import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;

/**
 * Whose checkpoints each have one new data file, as segments are: one bucket, no compaction. For
 * the tests of the memory backend that count files.
 */
public final class OneFilePaimonBackend extends StreamFusionPaimonStateBackend {
    private static final long serialVersionUID = 1L;

    public OneFilePaimonBackend(boolean incremental) {
        super(incremental);
    }

    @Override
    public StreamFusionPaimonStateBackend configure(
            ReadableConfig config, ClassLoader classLoader) {
        Configuration all = Configuration.fromMap(config.toMap());
        all.set(PaimonOptions.BUCKETS, 1);
        all.set(PaimonOptions.COMPACTION_FAN_IN, Integer.MAX_VALUE);
        all.set(PaimonOptions.COMPACTION_DEAD_PERCENT, 100);
        return super.configure(all, classLoader);
    }
}
