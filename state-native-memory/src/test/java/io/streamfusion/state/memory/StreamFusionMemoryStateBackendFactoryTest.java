package io.streamfusion.state.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** From a line of configuration to a backend, without native code. */
class StreamFusionMemoryStateBackendFactoryTest {
    private final ClassLoader loader = getClass().getClassLoader();

    @Test
    void flinkLoadsItByTheNameOfTheFactory() throws Exception {
        StateBackend backend =
                StateBackendLoader.loadStateBackendFromConfig(
                        new Configuration()
                                .set(
                                        StateBackendOptions.STATE_BACKEND,
                                        StreamFusionMemoryStateBackendFactory.class.getName()),
                        loader,
                        LoggerFactory.getLogger(getClass()));

        assertThat(backend).isInstanceOf(StreamFusionMemoryStateBackend.class);
        assertThat(backend.getName()).isEqualTo("streamfusion-memory");
        assertThat(backend.supportsNoClaimRestoreMode()).isTrue();
        assertThat(backend.useManagedMemory()).isTrue();
        for (SavepointFormatType format : SavepointFormatType.values()) {
            assertThat(backend.supportsSavepointFormat(format)).isTrue();
        }
        assertThat(InstantiationUtil.clone(backend, loader).getName()).isEqualTo(backend.getName());
    }

    @Test
    void anOldJvmIsExplained() {
        NativeStateBackendFactory factory = new StreamFusionMemoryStateBackendFactory();
        factory.requireJava(22);
        assertThatThrownBy(() -> factory.requireJava(17))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("Java 22")
                .hasMessageContaining("Java 17");
    }

    @Test
    void checkpointsAreIncrementalUnlessSwitchedOff() {
        assertThat(configured(new Configuration()).isIncremental()).isTrue();
        assertThat(configured(incremental(false)).isIncremental()).isFalse();
        assertThat(configured(incremental(true)).isIncremental()).isTrue();
        assertThat(
                        new StreamFusionMemoryStateBackend(true)
                                .configure(incremental(false), loader)
                                .isIncremental())
                .isTrue();
    }

    @Test
    void memoryWithoutALimitIsRefused() {
        assertThatThrownBy(
                        () ->
                                configured(
                                        new Configuration()
                                                .set(
                                                        StreamFusionOptions.USE_MANAGED_MEMORY,
                                                        false)))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining(StreamFusionOptions.FIXED_PER_SLOT.key());
    }

    @Test
    void chunksOutsideTheirRangeAreRefused() {
        for (long bytes : new long[] {4095, (256 << 10) + 1, 1 << 20}) {
            assertThatThrownBy(() -> configured(chunks(bytes)))
                    .isInstanceOf(IllegalConfigurationException.class)
                    .hasMessageContaining(StreamFusionOptions.CHUNK_SIZE.key());
        }
        configured(chunks(4096));
        configured(chunks(256 << 10));
    }

    private static Configuration chunks(long bytes) {
        return new Configuration().set(StreamFusionOptions.CHUNK_SIZE, new MemorySize(bytes));
    }

    private StreamFusionMemoryStateBackend configured(Configuration config) {
        return new StreamFusionMemoryStateBackend().configure(config, loader);
    }

    private static Configuration incremental(boolean on) {
        return new Configuration().set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, on);
    }
}
