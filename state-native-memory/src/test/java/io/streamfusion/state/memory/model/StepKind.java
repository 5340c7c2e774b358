package io.streamfusion.state.memory.model;

/**
 * What a step of a history does, and how often generated histories do it. The four numbers of a
 * step are called a, b, c, d; every number is legal, taken modulo what there is.
 */
enum StepKind {
    /**
     * The job: kind of keys a, incremental unless b, compression c, parallelism d. First or absent.
     */
    SETUP(0),

    // State accesses: key a, namespace b, variant of the state c, what is written d.
    VALUE_UPDATE(8),
    VALUE_CLEAR(2),
    VALUE_READ(2),
    LIST_ADD(6),
    LIST_ADD_ALL(3),
    LIST_UPDATE(3),
    LIST_CLEAR(2),
    LIST_READ(2),
    MAP_PUT(8),
    MAP_PUT_ALL(3),
    MAP_REMOVE(5),
    MAP_GET(2),
    MAP_ENTRIES(2),
    MAP_ITERATE(4),
    MAP_CLEAR(2),
    REDUCING_ADD(5),
    REDUCING_CLEAR(2),
    REDUCING_READ(1),
    AGGREGATING_ADD(5),
    AGGREGATING_CLEAR(2),
    AGGREGATING_READ(1),

    /** Merges namespaces d (bits) into b, key a, of a kind of state c. */
    MERGE(5),

    // Timers: key a, namespace b, queue c, timestamp d.
    TIMER_ADD(8),
    TIMER_REMOVE(4),
    /** Fires the timers of queue c up to timestamp d. */
    TIMER_FIRE(2),
    /** First timestamp, size and the timers by key group of queue c. */
    TIMER_LOOK(1),

    /** Does d to all keys that have state of kind a in namespace b. */
    APPLY_TO_ALL_KEYS(2),
    /** Keys (and namespaces, by d) that have state of kind a in namespace b. */
    LIST_KEYS(2),

    /** The time-to-live clock goes on by a. */
    CLOCK(5),
    /** So many key switches that background work is due. */
    KEY_SWITCHES(1),

    /** Starts checkpoint number n; a full one by a. */
    TRIGGER(9),
    /** Runs the asynchronous part of the a-th checkpoint in flight, in the background by b. */
    WRITE(7),
    /** Completes the a-th checkpoint in flight; the tasks hear of it unless b. */
    CONFIRM(8),
    /** Gives up the a-th checkpoint in flight; the tasks hear of it unless b. */
    ABORT(2),
    /** Takes a savepoint, canonical or native by a. */
    SAVEPOINT(2),

    /** All tasks fail and start from the latest checkpoint with parallelism a; late files by b. */
    FAILOVER(3),
    /** A new job from the a-th checkpoint or savepoint there is, claimed by b, parallelism c. */
    RESTART(3),
    /** Reads everything. */
    COMPARE(1);

    private final int weight;

    StepKind(int weight) {
        this.weight = weight;
    }

    int weight() {
        return weight;
    }
}
