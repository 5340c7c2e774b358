package io.streamfusion.state.memory.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys are those of Flink's own builder without the key group, whatever was there before. */
class CompositeKeyTest {
    private static final int PREFIX = 2;

    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of(
                        7L,
                        LongSerializer.INSTANCE,
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE),
                Arguments.of(7L, LongSerializer.INSTANCE, "namespace", StringSerializer.INSTANCE),
                Arguments.of("key", StringSerializer.INSTANCE, 9L, LongSerializer.INSTANCE),
                Arguments.of("", StringSerializer.INSTANCE, "", StringSerializer.INSTANCE),
                Arguments.of("key", StringSerializer.INSTANCE, "ns", StringSerializer.INSTANCE),
                Arguments.of(
                        "k".repeat(300),
                        StringSerializer.INSTANCE,
                        "n".repeat(70_000),
                        StringSerializer.INSTANCE));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    <K, N> void equalsTheKeyOfFlink(
            K key,
            TypeSerializer<K> keySerializer,
            N namespace,
            TypeSerializer<N> namespaceSerializer)
            throws Exception {
        SerializedCompositeKeyBuilder<K> expected =
                new SerializedCompositeKeyBuilder<>(keySerializer, PREFIX, 16);
        expected.setKeyAndKeyGroup(key, 3);
        CompositeKey<K> actual = new CompositeKey<>(keySerializer);
        Object owner = new Object();
        actual.setKey(key, 3);
        for (int round = 0; round < 2; round++) {
            actual.setNamespace(owner, namespace, namespaceSerializer);
            byte[] prefix =
                    withoutKeyGroup(
                            expected.buildCompositeKeyNamespace(namespace, namespaceSerializer));
            assertThat(bytes(actual)).isEqualTo(prefix);
            assertThat(actual.copyOfPrefix()).isEqualTo(prefix);

            actual.setUserKey("user key", StringSerializer.INSTANCE);
            assertThat(bytes(actual))
                    .isEqualTo(
                            withoutKeyGroup(
                                    expected.buildCompositeKeyNamesSpaceUserKey(
                                            namespace,
                                            namespaceSerializer,
                                            "user key",
                                            StringSerializer.INSTANCE)));
            assertThat(actual.prefixLength()).isEqualTo(prefix.length);
        }
        assertThat(actual.keyGroup()).isEqualTo(3);
    }

    @Test
    void eachOwnerHasItsOwnNamespace() throws Exception {
        CompositeKey<Long> key = new CompositeKey<>(LongSerializer.INSTANCE);
        Object first = new Object();
        Object second = new Object();
        key.setKey(1L, 0);
        key.setNamespace(first, "a", StringSerializer.INSTANCE);
        byte[] ofFirst = bytes(key);
        key.setNamespace(second, "b", StringSerializer.INSTANCE);
        assertThat(bytes(key)).isNotEqualTo(ofFirst);
        key.setNamespace(first, "a", StringSerializer.INSTANCE);
        assertThat(bytes(key)).isEqualTo(ofFirst);

        key.namespaceChanged(first);
        key.setNamespace(first, "c", StringSerializer.INSTANCE);
        assertThat(bytes(key)).isNotEqualTo(ofFirst);

        key.setKey(2L, 0);
        key.setNamespace(first, "a", StringSerializer.INSTANCE);
        assertThat(bytes(key)).hasSameSizeAs(ofFirst).isNotEqualTo(ofFirst);
    }

    private static byte[] withoutKeyGroup(byte[] key) {
        return Arrays.copyOfRange(key, PREFIX, key.length);
    }

    private static byte[] bytes(CompositeKey<?> key) {
        return key.segment().asSlice(0, key.length()).toArray(ValueLayout.JAVA_BYTE);
    }
}
