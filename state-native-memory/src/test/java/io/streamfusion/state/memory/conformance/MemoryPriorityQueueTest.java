package io.streamfusion.state.memory.conformance;

import io.streamfusion.ffi.NativeBudget;
import io.streamfusion.ffi.NativeStateKind;
import io.streamfusion.ffi.NativeStore;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.timer.NativePriorityQueueSet;
import org.apache.flink.runtime.state.InternalPriorityQueue;
import org.apache.flink.runtime.state.InternalPriorityQueueTestBase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's suite for priority queues, unchanged; its elements are ordered by their bytes. */
@ExtendWith(NoNativeLeaks.class)
class MemoryPriorityQueueTest extends InternalPriorityQueueTestBase {
    private NativeBudget budget;
    private NativeStore store;
    private int queues;

    @BeforeEach
    void createStore() {
        budget = NativeBudget.create(64 << 20, "");
        store =
                NativeStore.create(
                        budget,
                        KEY_GROUP_RANGE.getNumberOfKeyGroups(),
                        KEY_GROUP_RANGE.getStartKeyGroup(),
                        KEY_GROUP_RANGE.getEndKeyGroup(),
                        0);
    }

    @AfterEach
    void freeStore() {
        store.close();
        budget.close();
    }

    @Override
    protected InternalPriorityQueue<TestElement> newPriorityQueue(int initialCapacity) {
        int state = store.registerState(NativeStateKind.TIMER, "queue-" + queues++, -1);
        return new NativePriorityQueueSet<>(
                store,
                state,
                TestElementSerializer.INSTANCE,
                KEY_EXTRACTOR_FUNCTION,
                KEY_GROUP_RANGE,
                KEY_GROUP_RANGE.getNumberOfKeyGroups());
    }

    @Override
    protected boolean testSetSemanticsAgainstDuplicateElements() {
        return true;
    }
}
