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
                            """),
                    new Case(
                            "more rows than fit the memory, where a backend has little, through"
                                    + " checkpoints, savepoints of both formats and rescaling",
                            """
                            SETUP 1 1 3 0
                            VALUE_UPDATE 0 0 0 1
                            VALUE_UPDATE 0 1 0 2
                            VALUE_UPDATE 0 2 0 3
                            VALUE_UPDATE 0 3 0 4
                            VALUE_UPDATE 1 0 0 5
                            VALUE_UPDATE 1 1 0 6
                            VALUE_UPDATE 1 2 0 7
                            VALUE_UPDATE 1 3 0 8
                            VALUE_UPDATE 2 0 0 9
                            VALUE_UPDATE 2 1 0 10
                            VALUE_UPDATE 2 2 0 11
                            VALUE_UPDATE 2 3 0 12
                            VALUE_UPDATE 3 0 0 13
                            VALUE_UPDATE 3 1 0 14
                            VALUE_UPDATE 3 2 0 15
                            VALUE_UPDATE 3 3 0 16
                            VALUE_UPDATE 4 0 0 17
                            VALUE_UPDATE 4 1 0 18
                            VALUE_UPDATE 4 2 0 19
                            VALUE_UPDATE 4 3 0 21
                            VALUE_UPDATE 5 0 0 22
                            VALUE_UPDATE 5 1 0 23
                            VALUE_UPDATE 5 2 0 24
                            VALUE_UPDATE 5 3 0 25
                            TRIGGER 0 1 0 0
                            WRITE 0 0 0 0
                            VALUE_UPDATE 1 1 0 101
                            VALUE_CLEAR 2 2 0 0
                            CONFIRM 0 1 0 0
                            COMPARE 0 0 0 0
                            TRIGGER 0 1 0 0
                            CONFIRM 0 1 0 0
                            FAILOVER 0 1 1 0
                            VALUE_UPDATE 3 3 0 102
                            SAVEPOINT 0 0 0 0
                            SAVEPOINT 0 1 0 0
                            RESTART 1 0 2 1
                            RESTART 0 1 0 1
                            """));

    private KeptCases() {}
}
