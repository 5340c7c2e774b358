package io.streamfusion.state.paimon;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** From a line of configuration to a backend, without native code. */
class StreamFusionPaimonStateBackendFactoryTest {
    private final ClassLoader loader = getClass().getClassLoader();

    @Test
    void flinkLoadsItByItsShortName() throws Exception {
        StateBackend backend =
                StateBackendLoader.loadStateBackendFromConfig(
                        new Configuration()
                                .set(StateBackendOptions.STATE_BACKEND, "streamfusion-paimon")
                                .set(PaimonOptions.BUCKETS, 2),
                        loader,
                        LoggerFactory.getLogger(getClass()));

        assertThat(backend).isInstanceOf(StreamFusionPaimonStateBackend.class);
        assertThat(backend.getName()).isEqualTo("streamfusion-paimon");
        assertThat(InstantiationUtil.clone(backend, loader).getName()).isEqualTo(backend.getName());
    }
}
