package io.streamfusion.state.memory.model;

import io.streamfusion.ffi.NativeCompression;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.StreamFusionOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.StateBackend;

/** The memory backend with small chunks and every compression. */
final class MemoryHistoryBackend implements HistoryBackend {
    @Override
    public StateBackend create(boolean incremental, int variant) {
        NativeCompression[] compressions = NativeCompression.values();
        Configuration options =
                new Configuration()
                        .set(
                                StreamFusionOptions.CHECKPOINT_COMPRESSION,
                                compressions[variant % compressions.length])
                        .set(StreamFusionOptions.CHUNK_SIZE, MemorySize.parse("4kb"));
        return new StreamFusionMemoryStateBackend(incremental)
                .configure(options, getClass().getClassLoader());
    }

    @Override
    public ModelStorage storage() {
        return new ModelFiles();
    }
}
