package io.streamfusion.state.memory.timer;

import io.streamfusion.ffi.NativeChunk;
import io.streamfusion.ffi.NativeStatus;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.buffer.HeapBuffer;
import io.streamfusion.state.memory.buffer.OutputBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.KeyExtractorFunction;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * A priority queue with set semantics whose elements live in the native store, ordered by their
 * serialized bytes over all key groups. The head is kept deserialized. Task thread only.
 *
 * @param <T> element; the unsigned order of its bytes is its priority
 */
public final class NativePriorityQueueSet<T> implements KeyGroupedInternalPriorityQueue<T> {
    private static final int ADDED_AS_HEAD = 2;
    private static final int REMOVED_HEAD = 2;
    private static final int INITIAL_ELEMENT_BYTES = 256;
    private static final int CHUNK_BYTES = 16 * 1024;

    private final NativeStore store;
    private final int state;
    private final TypeSerializer<T> serializer;
    private final KeyExtractorFunction<T> keyOf;
    private final KeyGroupRange range;
    private final int numberOfKeyGroups;

    private final OutputBuffer element = new OutputBuffer();
    private final HeapBuffer head = new HeapBuffer(INITIAL_ELEMENT_BYTES);
    private final DataInputDeserializer input = new DataInputDeserializer();

    /** The smallest element, or null when it has to be asked for. */
    @Nullable private T cachedHead;

    /**
     * Creates the queue over a table of the store.
     *
     * @param serializer writes elements so that their bytes, compared unsigned, order them
     * @param keyOf the key that decides about an element's key group
     */
    public NativePriorityQueueSet(
            NativeStore store,
            int state,
            TypeSerializer<T> serializer,
            KeyExtractorFunction<T> keyOf,
            KeyGroupRange range,
            int numberOfKeyGroups) {
        this.store = store;
        this.state = state;
        this.serializer = serializer;
        this.keyOf = keyOf;
        this.range = range;
        this.numberOfKeyGroups = numberOfKeyGroups;
    }

    @Override
    @Nullable
    public T peek() {
        if (cachedHead == null) {
            int length = store.timerPeek(state, head.segment(), head.capacity());
            if (length > head.capacity()) {
                head.ensureCapacity(length);
                length = store.timerPeek(state, head.segment(), head.capacity());
            }
            if (length != NativeStatus.ABSENT) {
                cachedHead = read(head.array(), 0, length);
            }
        }
        return cachedHead;
    }

    @Override
    @Nullable
    public T poll() {
        T polled = cachedHead;
        cachedHead = null;
        int length = store.timerPoll(state, head.segment(), head.capacity());
        if (length > head.capacity()) {
            head.ensureCapacity(length);
            length = store.timerPoll(state, head.segment(), head.capacity());
        }
        if (length == NativeStatus.ABSENT) {
            return null;
        }
        return polled != null ? polled : read(head.array(), 0, length);
    }

    @Override
    public boolean add(T toAdd) {
        int keyGroup = write(toAdd);
        boolean headChanged =
                store.timerAdd(state, keyGroup, element.segment(), element.length())
                        == ADDED_AS_HEAD;
        if (headChanged) {
            cachedHead = null;
        }
        return headChanged;
    }

    @Override
    public boolean remove(T toRemove) {
        int keyGroup = write(toRemove);
        boolean headChanged =
                store.timerRemove(state, keyGroup, element.segment(), element.length())
                        == REMOVED_HEAD;
        if (headChanged) {
            cachedHead = null;
        }
        return headChanged;
    }

    @Override
    public boolean isEmpty() {
        return cachedHead == null && store.stateRows(state) == 0;
    }

    @Override
    public int size() {
        return Math.toIntExact(store.stateRows(state));
    }

    @Override
    public void addAll(@Nullable Collection<? extends T> toAdd) {
        if (toAdd != null) {
            for (T next : toAdd) {
                add(next);
            }
        }
    }

    /** Iterates key group by key group; the queue may change meanwhile. */
    @Override
    public CloseableIterator<T> iterator() {
        return CloseableIterator.adapterForIterator(new KeyGroupIterator());
    }

    @Override
    public Set<T> getSubsetForKeyGroup(int keyGroup) {
        return new HashSet<>(elementsOf(keyGroup));
    }

    private List<T> elementsOf(int keyGroup) {
        List<T> elements = new ArrayList<>();
        NativeChunk chunk = new NativeChunk(CHUNK_BYTES);
        for (long cursor = 0; cursor != NativeChunk.END; cursor = chunk.cursor()) {
            store.keysScan(state, keyGroup, cursor, chunk);
            for (int left = chunk.count(); left > 0; left--) {
                int length = chunk.takeInt();
                elements.add(read(chunk.array(), chunk.takeBytes(length), length));
            }
        }
        return elements;
    }

    /** Serializes an element and returns its key group. */
    private int write(T toWrite) {
        try {
            serializer.serialize(toWrite, element.clear());
        } catch (IOException e) {
            throw new FlinkRuntimeException("An element of a timer queue cannot be written.", e);
        }
        return KeyGroupRangeAssignment.assignToKeyGroup(
                keyOf.extractKeyFromElement(toWrite), numberOfKeyGroups);
    }

    private T read(byte[] bytes, int offset, int length) {
        input.setBuffer(bytes, offset, length);
        try {
            return serializer.deserialize(input);
        } catch (IOException e) {
            throw new FlinkRuntimeException("An element of a timer queue cannot be read.", e);
        }
    }

    /** Reads one key group's elements at a time, so that memory is bounded by the largest. */
    private final class KeyGroupIterator implements Iterator<T> {
        private int nextKeyGroup = range.getStartKeyGroup();
        private Iterator<T> elements = List.<T>of().iterator();

        @Override
        public boolean hasNext() {
            while (!elements.hasNext() && nextKeyGroup <= range.getEndKeyGroup()) {
                elements = elementsOf(nextKeyGroup++).iterator();
            }
            return elements.hasNext();
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException("The queue has no more elements.");
            }
            return elements.next();
        }
    }
}
