package io.streamfusion.state.paimon.rss;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/** A value, a map, a list and a timer a key, changed and read together with their model. */
final class SoakedState {
    private static final VoidNamespace NONE = VoidNamespace.INSTANCE;

    private final CheckpointableKeyedStateBackend<Integer> backend;
    private final SoakModel model;
    private final ValueState<byte[]> value;
    private final MapState<Integer, byte[]> map;
    private final ListState<byte[]> list;
    private final KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>>
            timers;

    /** Registers the states in a backend that holds what the model says. */
    SoakedState(CheckpointableKeyedStateBackend<Integer> backend, SoakModel model)
            throws Exception {
        this.backend = backend;
        this.model = model;
        value = state(new ValueStateDescriptor<>("value", BytePrimitiveArraySerializer.INSTANCE));
        map =
                state(
                        new MapStateDescriptor<>(
                                "map",
                                IntSerializer.INSTANCE,
                                BytePrimitiveArraySerializer.INSTANCE));
        list = state(new ListStateDescriptor<>("list", BytePrimitiveArraySerializer.INSTANCE));
        timers =
                backend.create(
                        "timers",
                        new TimerSerializer<>(
                                IntSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE));
    }

    private <S extends State> S state(StateDescriptor<S, ?> descriptor) throws Exception {
        return backend.getPartitionedState(NONE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    /** Gives every key its first rows. */
    void fill(SplittableRandom random) throws Exception {
        for (int key = 0; key < model.keys(); key++) {
            backend.setCurrentKey(key);
            update(key);
            for (int entry = 0; entry < SoakModel.ENTRIES; entry += 2) {
                put(key, entry);
            }
            add(key);
            add(key);
            setTimer(key, random);
        }
    }

    /** Reads or changes something of a random key; as much is added as is removed. */
    void step(SplittableRandom random) throws Exception {
        int key = random.nextInt(model.keys());
        int entry = random.nextInt(SoakModel.ENTRIES);
        backend.setCurrentKey(key);
        switch (random.nextInt(14)) {
            case 0, 1 -> assertValue(key);
            case 2, 3 -> update(key);
            case 4 -> {
                if (random.nextInt(8) == 0) {
                    value.clear();
                    model.values[key] = 0;
                }
            }
            case 5 -> assertEntry(key, entry);
            case 6 -> assertMap(key);
            case 7 -> put(key, entry);
            case 8 -> {
                map.remove(entry);
                model.entries[key][entry] = 0;
            }
            case 9 -> assertList(key);
            case 10, 11 -> add(key);
            case 12 -> setTimer(key, random);
            default -> fire(random);
        }
    }

    private void update(int key) throws Exception {
        int version = model.newVersion();
        value.update(SoakModel.value(key, version));
        model.values[key] = version;
    }

    private void put(int key, int entry) throws Exception {
        int version = model.newVersion();
        map.put(entry, SoakModel.entry(key, version));
        model.entries[key][entry] = version;
    }

    private void add(int key) throws Exception {
        int version = model.newVersion();
        byte[] element = SoakModel.element(key, version);
        int[] before = model.lists[key];
        if (before.length == SoakModel.LONGEST_LIST) {
            list.update(List.of(element));
            model.lists[key] = new int[] {version};
        } else {
            list.add(element);
            int[] after = Arrays.copyOf(before, before.length + 1);
            after[before.length] = version;
            model.lists[key] = after;
        }
    }

    private void setTimer(int key, SplittableRandom random) {
        long before = model.timers[key];
        if (before != 0) {
            timers.remove(timer(before));
            model.dueTimers.remove(before);
        }
        long time = model.newTime(key, random);
        timers.add(timer(time));
        model.timers[key] = time;
        model.dueTimers.add(time);
    }

    /** The first timer is the model's first one; its key gets another. */
    private void fire(SplittableRandom random) {
        int key = takeFirstTimer();
        backend.setCurrentKey(key);
        setTimer(key, random);
    }

    private int takeFirstTimer() {
        long due = model.dueTimers.pollFirst();
        assertThat(timers.poll()).isEqualTo(timer(due));
        int key = model.keyOf(due);
        model.timers[key] = 0;
        return key;
    }

    private TimerHeapInternalTimer<Integer, VoidNamespace> timer(long time) {
        return new TimerHeapInternalTimer<>(time, model.keyOf(time), NONE);
    }

    private void assertValue(int key) throws Exception {
        int version = model.values[key];
        assertThat(value.value())
                .as("value of key %d", key)
                .isEqualTo(version == 0 ? null : SoakModel.value(key, version));
    }

    private void assertEntry(int key, int entry) throws Exception {
        int version = model.entries[key][entry];
        assertThat(map.get(entry))
                .as("entry %d of key %d", entry, key)
                .isEqualTo(version == 0 ? null : SoakModel.entry(key, version));
    }

    private void assertMap(int key) throws Exception {
        Map<Integer, byte[]> found = new TreeMap<>();
        for (Map.Entry<Integer, byte[]> entry : map.entries()) {
            found.put(entry.getKey(), entry.getValue());
        }
        for (int entry = 0; entry < SoakModel.ENTRIES; entry++) {
            int version = model.entries[key][entry];
            assertThat(found.remove(entry))
                    .as("entry %d of key %d, iterated", entry, key)
                    .isEqualTo(version == 0 ? null : SoakModel.entry(key, version));
        }
        assertThat(found).as("entries of key %d that nobody put there", key).isEmpty();
    }

    private void assertList(int key) throws Exception {
        List<byte[]> elements = new ArrayList<>();
        Iterable<byte[]> found = list.get();
        if (found != null) {
            found.forEach(elements::add);
        }
        int[] versions = model.lists[key];
        assertThat(elements).as("list of key %d", key).hasSize(versions.length);
        for (int i = 0; i < versions.length; i++) {
            assertThat(elements.get(i))
                    .as("element %d of key %d", i, key)
                    .isEqualTo(SoakModel.element(key, versions[i]));
        }
    }

    /** Every row of every key is as in the model, and nothing else is there; takes timers out. */
    void assertAll() throws Exception {
        for (int key = 0; key < model.keys(); key++) {
            backend.setCurrentKey(key);
            assertValue(key);
            assertMap(key);
            assertList(key);
        }
        while (!model.dueTimers.isEmpty()) {
            takeFirstTimer();
        }
        assertThat(timers.poll()).as("a timer that nobody set").isNull();
    }
}
