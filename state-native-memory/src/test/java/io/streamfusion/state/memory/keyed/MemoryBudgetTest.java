package io.streamfusion.state.memory.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.streamfusion.ffi.NativeException;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.StreamFusionMemoryStateBackend;
import io.streamfusion.state.memory.StreamFusionOptions;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Native memory never exceeds the slot's budget, and says what to do when it is used up. */
@ExtendWith(NoNativeLeaks.class)
class MemoryBudgetTest {
    private static final long MANAGED = 8 << 20;
    private static final String ROW = "x".repeat(1000);

    @Test
    void pastTheBudgetTheWriteFailsAndReadsGoOn() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(new StreamFusionMemoryStateBackend(), LongSerializer.INSTANCE);
            ValueState<String> state = state(backend, "account balances");
            long[] written = new long[1];
            NativeException failure =
                    catchThrowableOfType(
                            NativeException.class, () -> fill(backend, state, written));

            assertThat(failure.kind()).isEqualTo(NativeException.Kind.MEMORY);
            assertThat(failure)
                    .hasMessageContaining("account balances")
                    .hasMessageContaining(String.valueOf(MANAGED))
                    .hasMessageContaining("taskmanager.memory.managed.size")
                    .hasMessageContaining("taskmanager.memory.managed.fraction");
            assertThat(written[0]).isGreaterThan(1000);
            assertThat(StreamFusionAbi.sf_charged_bytes()).isLessThanOrEqualTo(MANAGED);
            for (long key = 0; key < written[0]; key++) {
                backend.setCurrentKey(key);
                assertThat(state.value()).isEqualTo(ROW);
            }
        }
    }

    @Test
    void whatIsClearedMakesRoom() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(new StreamFusionMemoryStateBackend(), LongSerializer.INSTANCE);
            ValueState<String> state = state(backend, "state");
            for (int round = 0; round < 10; round++) {
                for (long key = 0; key < 2000; key++) {
                    backend.setCurrentKey(round * 10_000L + key);
                    state.update(ROW);
                }
                for (long key = 0; key < 2000; key++) {
                    backend.setCurrentKey(round * 10_000L + key);
                    assertThat(state.value()).isEqualTo(ROW);
                    state.clear();
                }
            }
            assertThat(backend.numKeyValueStateEntries()).isZero();
        }
    }

    @Test
    void backendsOfASlotShareOneBudget() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED)) {
            AbstractKeyedStateBackend<Long> first =
                    slot.open(new StreamFusionMemoryStateBackend(), LongSerializer.INSTANCE);
            AbstractKeyedStateBackend<Long> second =
                    slot.open(new StreamFusionMemoryStateBackend(), LongSerializer.INSTANCE);
            long[] alone = new long[1];
            assertThatThrownBy(() -> fill(first, state(first, "first"), alone))
                    .isInstanceOf(NativeException.class);
            long[] besideIt = new long[1];
            NativeException failure =
                    catchThrowableOfType(
                            NativeException.class,
                            () -> fill(second, state(second, "second"), besideIt));

            assertThat(failure).hasMessageContaining("second");
            assertThat(besideIt[0]).isLessThan(alone[0] / 4);
        }
    }

    @Test
    void aFixedSizeReplacesManagedMemory() throws Exception {
        Configuration config =
                new Configuration()
                        .set(StreamFusionOptions.USE_MANAGED_MEMORY, false)
                        .set(StreamFusionOptions.FIXED_PER_SLOT, MemorySize.ofMebiBytes(2));
        try (TestSlot slot = new TestSlot(MANAGED)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(
                            new StreamFusionMemoryStateBackend()
                                    .configure(config, getClass().getClassLoader()),
                            LongSerializer.INSTANCE);
            NativeException failure =
                    catchThrowableOfType(
                            NativeException.class,
                            () -> fill(backend, state(backend, "s"), new long[1]));

            assertThat(failure)
                    .hasMessageContaining(StreamFusionOptions.FIXED_PER_SLOT.key())
                    .hasMessageContaining(String.valueOf(2 << 20));
            assertThat(slot.environment().getMemoryManager().availableMemory()).isEqualTo(MANAGED);
        }
    }

    @Test
    void theSlotGetsItsManagedMemoryBack() throws Exception {
        try (TestSlot slot = new TestSlot(MANAGED)) {
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(new StreamFusionMemoryStateBackend(), LongSerializer.INSTANCE);
            assertThat(slot.environment().getMemoryManager().availableMemory()).isZero();
            backend.dispose();
            assertThat(slot.environment().getMemoryManager().availableMemory()).isEqualTo(MANAGED);
        }
    }

    private static void fill(
            AbstractKeyedStateBackend<Long> backend, ValueState<String> state, long[] written)
            throws Exception {
        for (long key = 0; key < 100_000; key++) {
            backend.setCurrentKey(key);
            state.update(ROW);
            written[0] = key + 1;
        }
    }

    private static ValueState<String> state(AbstractKeyedStateBackend<Long> backend, String name)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ValueStateDescriptor<>(name, StringSerializer.INSTANCE));
    }
}
