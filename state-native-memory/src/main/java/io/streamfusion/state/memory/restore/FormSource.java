package io.streamfusion.state.memory.restore;

import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.snapshot.StateFile;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The state of one handle, found in its files. */
public interface FormSource {

    /** Rows that are ready to be loaded. */
    @FunctionalInterface
    interface Loading {
        /**
         * Loads everything; returns when no thread touches the store any more.
         *
         * @param threads how many may read at the same time
         */
        void run(int threads) throws Exception;
    }

    /**
     * Reads what describes the files and checks it against the manifest; loads no row.
     *
     * @param stateIds at the identifier in the files the identifier in the store, -1 for unknown
     */
    Loading plan(RestoreTarget<?> target, int[] stateIds) throws IOException;

    /**
     * Lets the next incremental checkpoint build on this state; after all rows were loaded, for a
     * store with exactly the same key groups.
     *
     * @return the files that it may refer to; empty when it has to begin anew
     */
    Optional<List<StateFile>> continueFrom(NativeStore store);
}
