package io.streamfusion.state.memory.model;

import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * The keys of a history.
 *
 * @param <K> type of the keys
 */
record KeySpace<K>(TypeSerializer<K> serializer, List<K> keys) {
    /** Few enough that a key group holds several keys. */
    static final int KEY_GROUPS = 6;

    /** Namespaces; with keys of variable length they make composite keys that could be mixed up. */
    static final List<String> NAMESPACES = List.of("", "a", "aa", "window-0123456789");

    private static final KeySpace<String> TEXTS =
            new KeySpace<>(
                    StringSerializer.INSTANCE,
                    List.of("", "a", "aa", "aaa", "ü", "\0", "key-6", "x".repeat(300), "8", "9"));

    private static final KeySpace<Integer> NUMBERS =
            new KeySpace<>(
                    IntSerializer.INSTANCE,
                    List.of(0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 256, 77, 1000, 8, 9));

    static KeySpace<?> of(int number) {
        return number % 2 == 0 ? TEXTS : NUMBERS;
    }

    K key(int number) {
        return keys.get(number % keys.size());
    }

    static int keyGroup(Object key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS);
    }

    static String namespace(int number) {
        return NAMESPACES.get(number % NAMESPACES.size());
    }
}
