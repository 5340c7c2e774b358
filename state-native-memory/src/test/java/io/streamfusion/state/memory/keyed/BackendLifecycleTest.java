package io.streamfusion.state.memory.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streamfusion.ffi.NativeException;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.testing.NoNativeLeaks;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.memory.testing.TestedBackend;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.queryablestate.client.state.serialization.KvStateSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Native memory ends with the backend, once, whoever ends it; a panic ends the store's use. */
@ExtendWith(NoNativeLeaks.class)
public class BackendLifecycleTest implements TestedBackend {
    private static final long PATIENCE_SECONDS = 60;

    @Test
    void disposeAndCloseInAnyOrderFreeOnce() throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<Long> first = open(slot);
            first.dispose();
            first.close();
            first.dispose();
            AbstractKeyedStateBackend<Long> second = open(slot);
            second.close();
            second.dispose();
            assertThat(StreamFusionAbi.sf_live_handles()).isZero();
            assertThatThrownBy(() -> value(second).update(1L))
                    .isInstanceOf(NativeException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void closedByACancellingThreadItIsUsableUntilItsOwnerEnds() throws Exception {
        CompletableFuture<AbstractKeyedStateBackend<Long>> opened = new CompletableFuture<>();
        CompletableFuture<Long> readAfterClose = new CompletableFuture<>();
        CountDownLatch closed = new CountDownLatch(1);
        try (TestSlot slot = new TestSlot()) {
            Thread owner =
                    new Thread(
                            () -> {
                                try {
                                    AbstractKeyedStateBackend<Long> backend = open(slot);
                                    ValueState<Long> value = value(backend);
                                    backend.setCurrentKey(1L);
                                    value.update(7L);
                                    opened.complete(backend);
                                    closed.await();
                                    readAfterClose.complete(value.value());
                                } catch (Throwable failure) {
                                    opened.completeExceptionally(failure);
                                    readAfterClose.completeExceptionally(failure);
                                }
                            });
            owner.start();
            AbstractKeyedStateBackend<Long> backend =
                    opened.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            backend.close();
            assertThat(StreamFusionAbi.sf_live_handles()).isPositive();
            closed.countDown();
            assertThat(readAfterClose.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(7L);
            owner.join();
        }
    }

    @Test
    void anAbandonedBackendIsFreedWhenItsOwnerHasEnded() throws Exception {
        TestSlot slot = new TestSlot();
        CompletableFuture<NativeKeyedStateBackend<Long>> opened = new CompletableFuture<>();
        CountDownLatch end = new CountDownLatch(1);
        Thread owner =
                new Thread(
                        () -> {
                            try {
                                opened.complete(
                                        backend(true)
                                                .createKeyedStateBackend(
                                                        slot.parameters(
                                                                LongSerializer.INSTANCE,
                                                                List.of())));
                                end.await();
                            } catch (Throwable failure) {
                                opened.completeExceptionally(failure);
                            }
                        });
        owner.start();
        NativeKeyedStateBackend<Long> backend = opened.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        Thread releasing = backend.releaseWhenOwnerEnds();
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(2);
        end.countDown();
        releasing.join();
        assertThat(StreamFusionAbi.sf_live_handles()).isZero();
        slot.close();
    }

    @Test
    void theAsynchronousBackendPassesItsEndOn() throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AsyncKeyedStateBackend<Long> backend =
                    backend(true)
                            .createAsyncKeyedStateBackend(
                                    slot.parameters(LongSerializer.INSTANCE, List.of()));
            assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(2);
            backend.dispose();
            backend.close();
            assertThat(StreamFusionAbi.sf_live_handles()).isZero();
        }
    }

    @Test
    void aPanicPoisonsTheStoreAndItIsFreedAllTheSame() throws Exception {
        try (TestSlot slot = new TestSlot()) {
            NativeKeyedStateBackend<Long> backend = (NativeKeyedStateBackend<Long>) open(slot);
            ValueState<Long> value = value(backend);
            backend.setCurrentKey(1L);
            value.update(1L);
            assertThatThrownBy(() -> backend.store().testPanic())
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.kind()).isEqualTo(NativeException.Kind.INTERNAL))
                    .hasMessageContaining("test panic");
            assertThatThrownBy(value::value)
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.kind()).isEqualTo(NativeException.Kind.INTERNAL))
                    .hasMessageContaining("test panic");
            assertThatThrownBy(() -> value.update(2L)).isInstanceOf(NativeException.class);
        }
    }

    @Test
    void anotherThreadReadsBetweenTheOwnersCalls() throws Exception {
        try (TestSlot slot = new TestSlot()) {
            AbstractKeyedStateBackend<Long> backend = open(slot);
            ValueState<Long> value = value(backend);
            backend.setCurrentKey(1L);
            value.update(0L);
            @SuppressWarnings("unchecked")
            InternalKvState<Long, VoidNamespace, Long> queried =
                    (InternalKvState<Long, VoidNamespace, Long>) value;
            byte[] request =
                    KvStateSerializer.serializeKeyAndNamespace(
                            1L,
                            LongSerializer.INSTANCE,
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE);
            CompletableFuture<Long> lastSeen =
                    CompletableFuture.supplyAsync(() -> readUntil(queried, request, 1000L));
            long counter = 0;
            while (!lastSeen.isDone()) {
                value.update(Math.min(++counter, 1000L));
            }
            assertThat(lastSeen.get()).isEqualTo(1000L);
        }
    }

    private static long readUntil(
            InternalKvState<Long, VoidNamespace, Long> state, byte[] request, long end) {
        long seen = 0;
        while (seen < end) {
            try {
                long now =
                        KvStateSerializer.deserializeValue(
                                state.getSerializedValue(
                                        request,
                                        LongSerializer.INSTANCE,
                                        VoidNamespaceSerializer.INSTANCE,
                                        LongSerializer.INSTANCE),
                                LongSerializer.INSTANCE);
                assertThat(now).isGreaterThanOrEqualTo(seen);
                seen = now;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        return seen;
    }

    private AbstractKeyedStateBackend<Long> open(TestSlot slot) throws Exception {
        return slot.open(backend(true), LongSerializer.INSTANCE);
    }

    private static ValueState<Long> value(AbstractKeyedStateBackend<Long> backend)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
    }
}
