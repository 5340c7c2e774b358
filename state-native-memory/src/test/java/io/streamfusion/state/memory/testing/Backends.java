package io.streamfusion.state.memory.testing;

/** The backends that a test runs on: the stock one pins what ours has to do. */
public enum Backends {
    HASHMAP,
    STREAMFUSION
}
