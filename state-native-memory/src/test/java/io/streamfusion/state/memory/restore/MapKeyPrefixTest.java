package io.streamfusion.state.memory.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;

/** Against the builder whose keys canonical savepoints contain. */
class MapKeyPrefixTest {
    private static final List<String> TEXTS =
            List.of("", "a", "ab", "abc", "\u0000", "\u0001a", "x".repeat(300), "ä", "a\u0000b");

    @Test
    void fixedKeyAndNamespace() throws IOException {
        check(LongSerializer.INSTANCE, List.of(1L, -1L), IntSerializer.INSTANCE, List.of(0, 7));
    }

    @Test
    void fixedKeyAndVariableNamespace() throws IOException {
        check(LongSerializer.INSTANCE, List.of(1L, -1L, 0L), StringSerializer.INSTANCE, TEXTS);
    }

    @Test
    void variableKeyAndFixedNamespace() throws IOException {
        check(StringSerializer.INSTANCE, TEXTS, IntSerializer.INSTANCE, List.of(0, -1));
    }

    /** Its serializer claims to write nothing and writes a byte. */
    @Test
    void voidNamespace() throws IOException {
        check(
                LongSerializer.INSTANCE,
                List.of(1L, -1L),
                VoidNamespaceSerializer.INSTANCE,
                List.of(VoidNamespace.INSTANCE));
        check(
                StringSerializer.INSTANCE,
                TEXTS,
                VoidNamespaceSerializer.INSTANCE,
                List.of(VoidNamespace.INSTANCE));
    }

    @Test
    void variableKeyAndNamespace() throws IOException {
        check(StringSerializer.INSTANCE, TEXTS, StringSerializer.INSTANCE, TEXTS);
    }

    private static final class Row {
        private final byte[] bytes;
        private final int prefix;

        private Row(byte[] bytes, int prefix) {
            this.bytes = bytes;
            this.prefix = prefix;
        }
    }

    private static <K, N> void check(
            TypeSerializer<K> keySerializer,
            List<K> keys,
            TypeSerializer<N> namespaceSerializer,
            List<N> namespaces)
            throws IOException {
        int keyGroupBytes = 2;
        SerializedCompositeKeyBuilder<K> builder =
                new SerializedCompositeKeyBuilder<>(keySerializer, keyGroupBytes, 32);
        List<Row> rows = new ArrayList<>();
        for (K key : keys) {
            for (N namespace : namespaces) {
                builder.setKeyAndKeyGroup(key, 5);
                int prefix =
                        builder.buildCompositeKeyNamespace(namespace, namespaceSerializer).length
                                - keyGroupBytes;
                for (String userKey : TEXTS) {
                    rows.add(
                            new Row(
                                    builder.buildCompositeKeyNamesSpaceUserKey(
                                            namespace,
                                            namespaceSerializer,
                                            userKey,
                                            StringSerializer.INSTANCE),
                                    prefix));
                }
            }
        }
        MapKeyPrefix finder = new MapKeyPrefix(keySerializer, namespaceSerializer);
        Random random = new Random(42);
        for (int i = 0; i < 5000; i++) {
            // Runs of rows of one key, as in a savepoint, and jumps between keys.
            Row row =
                    rows.get(random.nextBoolean() ? i % rows.size() : random.nextInt(rows.size()));
            assertThat(finder.length(row.bytes, keyGroupBytes)).isEqualTo(row.prefix);
        }
    }
}
