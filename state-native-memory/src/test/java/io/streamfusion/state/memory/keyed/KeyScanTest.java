package io.streamfusion.state.memory.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.state.memory.testing.Backends;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listing keys, also while the states change, gives what hashmap gives. */
@ExtendWith(NoNativeLeaks.class)
public class KeyScanTest implements TestedBackend {
    private static final ValueStateDescriptor<String> VALUE =
            new ValueStateDescriptor<>("value", StringSerializer.INSTANCE);
    private static final MapStateDescriptor<Integer, String> MAP =
            new MapStateDescriptor<>("map", IntSerializer.INSTANCE, StringSerializer.INSTANCE);
    private static final ListStateDescriptor<String> LIST =
            new ListStateDescriptor<>("list", StringSerializer.INSTANCE);

    @ParameterizedTest
    @EnumSource(Backends.class)
    void listsEachKeyOncePerNamespace(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            for (int i = 0; i < 500; i++) {
                backend.setCurrentKey("key" + i);
                value(backend, "first").update("v");
                if (i % 2 == 0) {
                    map(backend, "first").put(1, "a");
                    map(backend, "first").put(2, "b");
                }
                if (i % 5 == 0) {
                    list(backend, "second").add("e");
                    list(backend, "second").add("f");
                }
            }
            assertThat(keys(backend, "value", "first")).isEqualTo(names(1));
            assertThat(keys(backend, "value", "second")).isEmpty();
            assertThat(keys(backend, "map", "first")).isEqualTo(names(2));
            assertThat(keys(backend, "list", "second")).isEqualTo(names(5));
            assertThat(keys(backend, "unknown", "first")).isEmpty();
            try (Stream<String> both = backend.getKeys(List.of("value", "map"), "first")) {
                assertThat(both.sorted().toList()).isEqualTo(names(1));
            }
            try (Stream<Tuple2<String, String>> pairs = backend.getKeysAndNamespaces("list")) {
                assertThat(pairs.map(pair -> pair.f0 + "/" + pair.f1).sorted().toList())
                        .isEqualTo(names(5).stream().map(name -> name + "/second").toList());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backends.class)
    void appliesToAllKeysWhileTheyChange(Backends kind) throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<String> backend =
                    slot.open(backend(kind), StringSerializer.INSTANCE);
            for (int i = 0; i < 500; i++) {
                backend.setCurrentKey("key" + i);
                value(backend, "ns").update("v" + i);
            }
            backend.applyToAllKeys(
                    "ns",
                    StringSerializer.INSTANCE,
                    VALUE,
                    (key, state) -> {
                        if (state.value().endsWith("7")) {
                            state.clear();
                        } else {
                            state.update(state.value() + "!");
                        }
                    });
            for (int i = 0; i < 500; i++) {
                backend.setCurrentKey("key" + i);
                assertThat(value(backend, "ns").value())
                        .isEqualTo(i % 10 == 7 ? null : "v" + i + "!");
            }
        }
    }

    private static List<String> keys(
            AbstractKeyedStateBackend<String> backend, String state, String namespace) {
        try (Stream<String> keys = backend.getKeys(state, namespace)) {
            return keys.sorted().toList();
        }
    }

    private static List<String> names(int every) {
        return IntStream.range(0, 500)
                .filter(i -> i % every == 0)
                .mapToObj(i -> "key" + i)
                .sorted()
                .toList();
    }

    private static ValueState<String> value(
            AbstractKeyedStateBackend<String> backend, String namespace) throws Exception {
        return backend.getPartitionedState(namespace, StringSerializer.INSTANCE, VALUE);
    }

    private static MapState<Integer, String> map(
            AbstractKeyedStateBackend<String> backend, String namespace) throws Exception {
        return backend.getPartitionedState(namespace, StringSerializer.INSTANCE, MAP);
    }

    private static ListState<String> list(
            AbstractKeyedStateBackend<String> backend, String namespace) throws Exception {
        return backend.getPartitionedState(namespace, StringSerializer.INSTANCE, LIST);
    }
}
