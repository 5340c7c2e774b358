package io.streamfusion.state.memory.keyed;

import io.streamfusion.state.memory.restore.FormReader;
import io.streamfusion.state.memory.snapshot.DurableForm;
import java.util.List;

/**
 * The durable forms of one keyed backend.
 *
 * @param form what its checkpoints consist of
 * @param readers of the checkpoints that it can be restored from, besides canonical savepoints
 */
public record BackendForms(DurableForm form, List<FormReader> readers) {
    public BackendForms {
        readers = List.copyOf(readers);
    }
}
