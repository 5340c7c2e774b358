package io.streamfusion.state.memory.timer;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.testing.Backends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Timers fire in the order of signed time, each once, whatever their keys and namespaces. */
@ExtendWith(NoNativeLeaks.class)
public class TimerOrderTest implements TestedBackend {
    private static final List<Long> TIMES =
            List.of(
                    Long.MIN_VALUE,
                    Long.MIN_VALUE + 1,
                    -1L,
                    0L,
                    1L,
                    Long.MAX_VALUE - 1,
                    Long.MAX_VALUE);
    private static final List<String> NAMES =
            List.of("", "a", "ab", "b", "\u00e4\u4e2d", "x".repeat(500));

    @ParameterizedTest
    @EnumSource(Backends.class)
    void extremesInSignedOrder(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                    queue(backend);
            List<TimerHeapInternalTimer<String, String>> timers = all();
            Collections.shuffle(timers, new Random(42));
            timers.forEach(queue::add);
            timers.forEach(queue::add);
            assertThat(queue.size()).isEqualTo(timers.size());

            assertThat(drain(queue)).isEqualTo(timesOf(timers));
            assertThat(queue.isEmpty()).isTrue();
            assertThat(queue.peek()).isNull();
            assertThat(queue.poll()).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void addingAndRemovingTellsWhetherTheHeadChanged(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                    queue(backend);
            assertThat(queue.add(timer(10, "k", "n"))).isTrue();
            assertThat(queue.add(timer(20, "k", "n"))).isFalse();
            assertThat(queue.add(timer(5, "other", "n"))).isTrue();
            assertThat(queue.peek()).isEqualTo(timer(5, "other", "n"));
            assertThat(queue.remove(timer(20, "k", "n"))).isFalse();
            assertThat(queue.remove(timer(20, "k", "n"))).isFalse();
            assertThat(queue.remove(timer(5, "other", "n"))).isTrue();
            assertThat(queue.peek()).isEqualTo(timer(10, "k", "n"));
            assertThat(queue.size()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void iteratesAndSplitsByKeyGroup(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                    queue(backend);
            Set<TimerHeapInternalTimer<String, String>> expected = new HashSet<>(all());
            queue.addAll(expected);

            Set<TimerHeapInternalTimer<String, String>> iterated = new HashSet<>();
            CloseableIterator<TimerHeapInternalTimer<String, String>> elements = queue.iterator();
            elements.forEachRemaining(
                    timer -> assertThat(iterated.add(timer)).as("seen once").isTrue());
            elements.close();
            assertThat(iterated).isEqualTo(expected);

            Set<TimerHeapInternalTimer<String, String>> united = new HashSet<>();
            for (int keyGroup = 0; keyGroup < TestSlot.KEY_GROUPS; keyGroup++) {
                for (TimerHeapInternalTimer<String, String> timer :
                        queue.getSubsetForKeyGroup(keyGroup)) {
                    assertThat(
                                    KeyGroupRangeAssignment.assignToKeyGroup(
                                            timer.getKey(), TestSlot.KEY_GROUPS))
                            .isEqualTo(keyGroup);
                    united.add(timer);
                }
            }
            assertThat(united).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void survivesCheckpointAndSavepoint(boolean canonical) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(true), StringSerializer.INSTANCE);
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue =
                    queue(backend);
            queue.addAll(all());
            queue.poll();
            KeyedStateHandle handle =
                    canonical ? slot.savepoint(backend, 1) : slot.checkpoint(backend, 1);
            List<Long> before = drain(queue);

            AbstractKeyedStateBackend<String> restored =
                    slot.open(backend(true), StringSerializer.INSTANCE, handle);
            assertThat(drain(queue(restored))).isEqualTo(before).hasSize(all().size() - 1);
        }
    }

    private static List<Long> drain(
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue) {
        List<Long> fired = new ArrayList<>();
        TimerHeapInternalTimer<String, String> head;
        while ((head = queue.peek()) != null) {
            assertThat(queue.poll()).isEqualTo(head);
            fired.add(head.getTimestamp());
        }
        return fired;
    }

    private static List<Long> timesOf(List<TimerHeapInternalTimer<String, String>> timers) {
        return timers.stream().map(TimerHeapInternalTimer::getTimestamp).sorted().toList();
    }

    private static List<TimerHeapInternalTimer<String, String>> all() {
        List<TimerHeapInternalTimer<String, String>> timers = new ArrayList<>();
        for (long time : TIMES) {
            for (String key : NAMES) {
                for (String namespace : NAMES) {
                    timers.add(timer(time, key, namespace));
                }
            }
        }
        return timers;
    }

    private static TimerHeapInternalTimer<String, String> timer(
            long time, String key, String namespace) {
        return new TimerHeapInternalTimer<>(time, key, namespace);
    }

    private static KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue(
            AbstractKeyedStateBackend<String> backend) {
        return backend.create(
                "timers",
                new TimerSerializer<>(StringSerializer.INSTANCE, StringSerializer.INSTANCE));
    }
}
