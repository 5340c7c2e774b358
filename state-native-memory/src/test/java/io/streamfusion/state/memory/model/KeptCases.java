package io.streamfusion.state.memory.model;

import java.util.List;

/** Shrunk histories that once failed, or that pin what a change could easily break. */
final class KeptCases {
    /** A history and what it is about. */
    record Case(String about, String steps) {}

    static final List<Case> ALL =
            List.of(
                    new Case(
                            "a row that was removed stays removed in the next checkpoint",
                            """
                            SETUP 0 1 0 0
                            VALUE_UPDATE 1 0 0 2
                            TRIGGER 0 1 0 0
                            CONFIRM 0 1 0 0
                            VALUE_CLEAR 1 0 0 0
                            TRIGGER 0 1 0 0
                            CONFIRM 0 1 0 0
                            FAILOVER 2 1 1 0
                            """),
                    new Case(
                            "the namespace of a map without namespaces is one byte in a savepoint",
                            """
                            SETUP 1 1 2 2
                            MAP_PUT 7 1 3 907
                            SAVEPOINT 0 0 0 0
                            """),
                    new Case(
                            "some subtasks have a list that expires, others do not, full"
                                    + " checkpoints",
                            """
                            SETUP 0 0 1 0
                            REDUCING_ADD 0 2 3 3
                            FAILOVER 1 1 2 1
                            LIST_ADD 2 2 2 14
                            TRIGGER 0 1 0 0
                            CONFIRM 0 1 0 0
                            RESTART 0 0 1 3
                            """));

    private KeptCases() {}
}
