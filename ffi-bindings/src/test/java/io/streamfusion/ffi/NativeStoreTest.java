package io.streamfusion.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows through the real library: buffers that are too small, scans, errors. */
class NativeStoreTest {
    private static final int KEY_GROUPS = 4;
    private static final String ADVICE = "Ask for more.";

    private NativeBudget budget;
    private NativeStore store;

    @BeforeEach
    void create() {
        budget = NativeBudget.create(32 << 20, ADVICE);
        store = NativeStore.create(budget, KEY_GROUPS, 0, KEY_GROUPS - 1, 0);
    }

    @AfterEach
    void free() {
        store.close();
        budget.close();
    }

    @Test
    void aValueThatDoesNotFitSaysItsLength() {
        int state = store.registerState(NativeStateKind.VALUE, "v", -1);
        byte[] value = new byte[5000];
        Arrays.fill(value, (byte) 7);
        put(state, "key", value);
        byte[] small = new byte[16];
        MemorySegment key = segment("key");
        assertThat(store.valueGet(state, 0, key, 3, MemorySegment.ofArray(small), small.length))
                .isEqualTo(value.length);
        assertThat(small).containsOnly(0);
        byte[] fitting = new byte[value.length];
        store.valueGet(state, 0, key, 3, MemorySegment.ofArray(fitting), fitting.length);
        assertThat(fitting).isEqualTo(value);
        assertThat(store.valueRemove(state, 0, key, 3)).isTrue();
        assertThat(store.valueRemove(state, 0, key, 3)).isFalse();
        assertThat(store.valueGet(state, 0, key, 3, MemorySegment.ofArray(small), 16))
                .isEqualTo(NativeStatus.ABSENT);
    }

    @Test
    void scansGrowTheChunkForALargeRow() {
        int state = store.registerState(NativeStateKind.VALUE, "v", -1);
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            keys.add("key" + i);
            put(state, "key" + i, new byte[i == 150 ? 100_000 : 10]);
        }
        NativeChunk chunk = new NativeChunk(64);
        Set<String> seen = new HashSet<>();
        for (long cursor = 0; cursor != NativeChunk.END; cursor = chunk.cursor()) {
            store.rowsScan(state, 0, cursor, chunk);
            for (int left = chunk.count(); left > 0; left--) {
                int keyLength = chunk.takeInt();
                assertThat(chunk.takeInt()).isEqualTo(keyLength);
                int valueLength = chunk.takeInt();
                int at = chunk.takeBytes(keyLength);
                seen.add(new String(chunk.array(), at, keyLength, StandardCharsets.UTF_8));
                chunk.takeBytes(valueLength);
            }
        }
        assertThat(seen).isEqualTo(keys);
        assertThat(store.stateRows(state)).isEqualTo(300);
        assertThat(store.stats().liveRows()).isEqualTo(300);
        assertThat(budget.used()).isPositive().isLessThanOrEqualTo(budget.limit());
    }

    @Test
    void aStateKeepsItsKind() {
        int state = store.registerState(NativeStateKind.MAP, "s", -1);
        assertThat(store.registerState(NativeStateKind.MAP, "s", -1)).isEqualTo(state);
        assertThatThrownBy(() -> store.registerState(NativeStateKind.LIST, "s", -1))
                .isInstanceOfSatisfying(
                        NativeException.class,
                        e -> assertThat(e.kind()).isEqualTo(NativeException.Kind.USER));
    }

    @Test
    void theAdviceEndsTheMessageWhenTheBudgetIsUsedUp() {
        budget.setLimit(1 << 20);
        int state = store.registerState(NativeStateKind.VALUE, "balances", -1);
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 10_000; i++) {
                                put(state, "key" + i, new byte[1000]);
                            }
                        })
                .isInstanceOfSatisfying(
                        NativeException.class,
                        e -> assertThat(e.kind()).isEqualTo(NativeException.Kind.MEMORY))
                .hasMessageContaining("balances")
                .hasMessageEndingWith(ADVICE);
    }

    @Test
    void aClosedStoreRefusesAndItsSnapshotGoesOn() {
        int state = store.registerState(NativeStateKind.VALUE, "v", -1);
        put(state, "key", new byte[10]);
        try (NativeSnapshot snapshot =
                store.beginSnapshot(
                        1, NativeSnapshotMode.FULL, NativeCompression.NONE, Long.MIN_VALUE)) {
            store.close();
            assertThatThrownBy(() -> store.stateRows(state))
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.kind()).isEqualTo(NativeException.Kind.CLOSED));
            byte[] buffer = new byte[64 * 1024];
            int bytes = 0;
            int next;
            while ((next = snapshot.next(buffer)) > 0) {
                bytes += next;
            }
            assertThat(bytes).isPositive();
            assertThat(snapshot.describe()).isNotEmpty();
        }
    }

    @Test
    void whatDoesNotFitIsInFiles(@TempDir Path directory) {
        budget.setLimit(1 << 20);
        assertThatThrownBy(() -> store.spillTo(directory.toString(), ""))
                .isInstanceOf(NativeException.class)
                .hasMessageContaining("keeps places");
        store.keepPlaces(
                ByteBuffer.allocate(28)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(1)
                        .putLong(1 << 20)
                        .putLong(1 << 20)
                        .putInt(50)
                        .putInt(4)
                        .array());
        store.spillTo(directory.toString(), "");
        int state = store.registerState(NativeStateKind.VALUE, "v", -1);
        assertThat(store.spillStats()).isEqualTo(NativeSpillStats.EMPTY);
        for (int i = 0; i < 5000; i++) {
            put(state, "key" + i, new byte[1000]);
        }

        NativeSpillStats stats = store.spillStats();
        assertThat(stats.live()).isBetween(4L << 20, 5000L * 1100);
        assertThat(stats.spilled()).isBetween(stats.live(), stats.written());
        assertThat(directory).isEmptyDirectory();
        byte[] found = new byte[1000];
        for (int i = 0; i < 5000; i++) {
            String key = "key" + i;
            assertThat(
                            store.valueGet(
                                    state,
                                    0,
                                    segment(key),
                                    key.length(),
                                    MemorySegment.ofArray(found),
                                    found.length))
                    .isEqualTo(1000);
        }
        assertThat(store.spillStats().read()).isGreaterThan(stats.read());
    }

    private void put(int state, String key, byte[] value) {
        store.valuePut(
                state, 0, segment(key), key.length(), MemorySegment.ofArray(value), value.length);
    }

    private static MemorySegment segment(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }
}
