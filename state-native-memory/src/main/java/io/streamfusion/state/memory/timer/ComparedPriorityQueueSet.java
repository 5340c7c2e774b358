package io.streamfusion.state.memory.timer;

import java.util.Collection;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyExtractorFunction;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.PriorityComparator;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.util.CloseableIterator;

/**
 * A priority queue for elements that only a comparator orders.
 *
 * <p>Flink promises that the bytes of elements order them within a key group, not between key
 * groups, where it compares elements. Timers, the only elements that Flink's operators use, are
 * ordered by their bytes everywhere and need no such queue. For others this one keeps Flink's heap
 * queue beside the native rows, which remain what is checkpointed.
 */
final class ComparedPriorityQueueSet<T extends HeapPriorityQueueElement>
        implements KeyGroupedInternalPriorityQueue<T> {
    private static final int INITIAL_CAPACITY = 128;

    private final NativePriorityQueueSet<T> rows;
    private final HeapPriorityQueueSet<T> order;

    /** Reads the rows that are there already, for instance restored ones. */
    ComparedPriorityQueueSet(
            NativePriorityQueueSet<T> rows,
            PriorityComparator<T> comparator,
            KeyExtractorFunction<T> keyOf,
            KeyGroupRange range,
            int numberOfKeyGroups) {
        this.rows = rows;
        this.order =
                new HeapPriorityQueueSet<>(
                        comparator, keyOf, INITIAL_CAPACITY, range, numberOfKeyGroups);
        for (int keyGroup : range) {
            order.addAll(rows.getSubsetForKeyGroup(keyGroup));
        }
    }

    @Override
    @Nullable
    public T peek() {
        return order.peek();
    }

    @Override
    @Nullable
    public T poll() {
        T polled = order.poll();
        if (polled != null) {
            rows.remove(polled);
        }
        return polled;
    }

    @Override
    public boolean add(T toAdd) {
        rows.add(toAdd);
        return order.add(toAdd);
    }

    @Override
    public boolean remove(T toRemove) {
        rows.remove(toRemove);
        return order.remove(toRemove);
    }

    @Override
    public boolean isEmpty() {
        return order.isEmpty();
    }

    @Override
    public int size() {
        return order.size();
    }

    @Override
    public void addAll(@Nullable Collection<? extends T> toAdd) {
        if (toAdd != null) {
            for (T element : toAdd) {
                add(element);
            }
        }
    }

    @Override
    public CloseableIterator<T> iterator() {
        return order.iterator();
    }

    @Override
    public Set<T> getSubsetForKeyGroup(int keyGroup) {
        return order.getSubsetForKeyGroup(keyGroup);
    }
}
