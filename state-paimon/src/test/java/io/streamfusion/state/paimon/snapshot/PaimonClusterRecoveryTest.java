package io.streamfusion.state.paimon.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.snapshot.ClusterRecoveryTest;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackendFactory;
import io.streamfusion.state.paimon.kit.Tables;
import java.io.IOException;
import java.nio.file.Path;

/** What the memory backend promises, on checkpoints that are tables. */
class PaimonClusterRecoveryTest extends ClusterRecoveryTest {
    @Override
    protected String factory() {
        return StreamFusionPaimonStateBackendFactory.class.getName();
    }

    /**
     * What the changelog materializes goes to streams that Flink opens, without a directory that a
     * table could be in: there it is segments of the whole state. Full checkpoints are gone with
     * the job, directories included.
     */
    @Override
    protected void assertStorage(String setup, Path storage) throws IOException {
        if (setup.equals("changelog")) {
            assertThat(Tables.find(storage)).isEmpty();
        } else if (!setup.equals("full")) {
            assertThat(Tables.find(storage)).isNotEmpty();
        }
    }
}
