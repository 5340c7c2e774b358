package io.streamfusion.state.memory.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.checkpoint.filemerging.FileMergingType;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.junit.jupiter.api.Test;

/** Segments are merged with each other. */
class FileMergingTest extends FileMergingTestBase {
    private boolean reuse = true;

    @Override
    protected Class<? extends StreamStateHandle> kindOfFiles() {
        return SegmentFileStateHandle.class;
    }

    @Override
    protected boolean mayReuse() {
        return reuse;
    }

    @Test
    void storesAgainWhatMayNotBeReused() throws Exception {
        merge(FileMergingType.MERGE_ACROSS_CHECKPOINT, Float.MAX_VALUE);
        contents.change(KEYS, 1);
        KeyedStateHandle first = checkpoint(1);
        contents.change(KEYS.subList(0, 3), 2);
        KeyedStateHandle second = checkpoint(2);
        reuse = false;
        contents.change(KEYS.subList(0, 3), 3);
        KeyedStateHandle third = checkpoint(3);
        assertThat(third.getCheckpointedSize()).isGreaterThan(first.getCheckpointedSize());
        assertThat(filesOf(third)).doesNotContainAnyElementsOf(filesOf(second)).hasSize(3);
        assertRestores(third);
        reuse = true;
        contents.change(KEYS.subList(0, 3), 4);
        KeyedStateHandle fourth = checkpoint(4);
        assertThat(filesOf(fourth)).containsAll(filesOf(third));
        assertRestores(fourth);
    }
}
