package io.streamfusion.sql.planner;

import io.streamfusion.sql.edge.Edge;

/** The native form of one node, ready to be put in place. */
interface Candidate {
    /** Puts it in place. */
    void apply(Edge input, Edge output, Changes changes);
}
