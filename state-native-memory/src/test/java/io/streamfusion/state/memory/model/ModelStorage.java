package io.streamfusion.state.memory.model;

import java.util.Collection;
import java.util.Optional;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Checkpoint storage of one history, which knows which files there are. Used by the history's
 * thread and by the one that writes snapshots beside it.
 */
public interface ModelStorage extends AutoCloseable {
    /** A file; equal to itself only, or to what has its name. */
    interface Written {
        /** The checkpoint that wrote it. */
        Object writer();
    }

    /** Creates the files of one checkpoint. */
    CheckpointStreamFactory factory(Object writer);

    /** The file of a handle; empty when it was deleted, or is none of this storage. */
    Optional<Written> find(StreamStateHandle handle);

    /** The files that were written and not deleted. */
    Collection<Written> present();

    /** Streams that nobody has closed. */
    int openStreams();

    /** Forgets all files. */
    @Override
    void close();
}
