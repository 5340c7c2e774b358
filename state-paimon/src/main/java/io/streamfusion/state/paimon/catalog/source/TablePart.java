package io.streamfusion.state.paimon.catalog.source;

import io.streamfusion.state.paimon.catalog.decode.BackendStates;
import java.io.Serializable;

/**
 * The rows of a state that one subtask has written.
 *
 * @param directory the Paimon table
 * @param snapshot number of its snapshot
 * @param schema number of the snapshot's schema
 * @param state number of the state in the table
 * @param firstKeyGroup first key group of the subtask
 * @param lastKeyGroup last key group of the subtask, inclusive
 * @param states the states of the subtask
 * @param position of the state among them
 */
public record TablePart(
        String directory,
        long snapshot,
        long schema,
        int state,
        int firstKeyGroup,
        int lastKeyGroup,
        BackendStates states,
        int position)
        implements Serializable {}
