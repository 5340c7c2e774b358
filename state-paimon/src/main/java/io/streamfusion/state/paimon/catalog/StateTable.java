package io.streamfusion.state.paimon.catalog;

import io.streamfusion.state.paimon.catalog.decode.StateColumn;
import io.streamfusion.state.paimon.catalog.decode.StateShape;
import io.streamfusion.state.paimon.catalog.source.StateInputFormat;
import io.streamfusion.state.paimon.catalog.source.TablePart;
import java.io.IOException;
import java.util.List;

/**
 * A state of an operator.
 *
 * @param title which state of which operator and checkpoint, for messages
 * @param shape of the first part; others may have been written with other serializers
 * @param parts the subtasks' rows
 */
record StateTable(String title, StateShape shape, List<TablePart> parts) {

    List<StateColumn> columns() {
        return shape.columns();
    }

    /** Finds the files to read. */
    StateInputFormat format() throws IOException {
        return StateInputFormat.plan(title, shape.kind(), columns(), parts);
    }
}
