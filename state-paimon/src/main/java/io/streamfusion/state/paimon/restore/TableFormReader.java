package io.streamfusion.state.paimon.restore;

import io.streamfusion.state.memory.restore.FormReader;
import io.streamfusion.state.memory.restore.FormSource;
import io.streamfusion.state.memory.restore.RestoreSource;
import io.streamfusion.state.memory.snapshot.CheckpointManifest;
import io.streamfusion.state.paimon.commit.TableForm;
import io.streamfusion.state.paimon.table.TableContents;
import io.streamfusion.state.paimon.table.TableIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Reads checkpoints that are tables. */
public final class TableFormReader implements FormReader {
    private final TableForm target;

    /**
     * @param target the form of the backend that is restored
     */
    public TableFormReader(TableForm target) {
        this.target = target;
    }

    @Override
    public CheckpointManifest.Form form() {
        return CheckpointManifest.Form.TABLE;
    }

    @Override
    public FormSource open(RestoreSource source) throws IOException {
        TableContents contents =
                TableContents.read(source.manifest().contents(), source.description());
        target.restoredFiles(source.files().values());
        List<StoredDataFile> files = new ArrayList<>();
        for (TableContents.File file : contents.files()) {
            files.add(
                    new StoredDataFile(
                            file.number(),
                            file.table(),
                            source.locate(file.table().name(), file.table().bytes())));
        }
        Map<Integer, StreamStateHandle> indexes = new HashMap<>();
        for (TableIndex index : contents.indexes()) {
            indexes.put(index.bucket(), source.locate(index.name(), index.bytes()));
        }
        return new TableSource(source, contents, files, indexes, target);
    }
}
