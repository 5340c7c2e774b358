package io.streamfusion.state.memory.buffer;

import java.lang.foreign.MemorySegment;
import org.apache.flink.core.memory.DataOutputSerializer;

/** What a serializer writes to, with the segment that native calls take for the written bytes. */
public final class OutputBuffer {
    private static final int INITIAL_BYTES = 256;

    private final DataOutputSerializer view = new DataOutputSerializer(INITIAL_BYTES);
    private byte[] array = view.getSharedBuffer();
    private MemorySegment segment = MemorySegment.ofArray(array);

    /** The view, emptied. */
    public DataOutputSerializer clear() {
        view.clear();
        return view;
    }

    /** The view, to continue behind what is written. */
    public DataOutputSerializer view() {
        return view;
    }

    /** Bytes written. */
    public int length() {
        return view.length();
    }

    /** A segment that begins with the written bytes; another one after the view has grown. */
    public MemorySegment segment() {
        byte[] current = view.getSharedBuffer();
        if (current != array) {
            array = current;
            segment = MemorySegment.ofArray(current);
        }
        return segment;
    }
}
