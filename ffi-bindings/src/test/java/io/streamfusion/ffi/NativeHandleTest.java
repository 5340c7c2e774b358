package io.streamfusion.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.streamfusion.ffi.NativeException.Kind;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class NativeHandleTest {

    @Test
    void isCountedUntilItIsClosed() {
        long java = NativeHandle.live();
        long rust = StreamFusionAbi.sf_live_handles();

        NativeHandle handle = budget();
        assertThat(NativeHandle.live()).isEqualTo(java + 1);
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(rust + 1);

        handle.close();
        handle.close();
        assertThat(handle.isClosed()).isTrue();
        assertThat(NativeHandle.live()).isEqualTo(java);
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(rust);
    }

    @Test
    void refusesUseAfterClose() {
        NativeHandle handle = budget();
        handle.close();

        assertThatThrownBy(handle::pointer)
                .asInstanceOf(type(NativeException.class))
                .returns(Kind.CLOSED, NativeException::kind)
                .returns("the native budget is closed", NativeException::getMessage);
    }

    @Test
    void manyThreadsThatCloseItFreeItOnce() throws Exception {
        long rust = StreamFusionAbi.sf_live_handles();
        NativeHandle other = budget();
        NativeHandle handle = budget();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> closing = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                closing.add(threads.submit(handle::close));
            }
            for (Future<?> future : closing) {
                future.get();
            }
        }

        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(rust + 1);
        other.close();
        assertThat(StreamFusionAbi.sf_live_handles()).isEqualTo(rust);
    }

    @Test
    void aNullPointerBecomesTheLibrarysOwnError() {
        assertThatThrownBy(
                        () ->
                                new NativeHandle(
                                        "budget",
                                        StreamFusionAbi.sf_budget_new(-1),
                                        StreamFusionAbi::sf_budget_free))
                .asInstanceOf(type(NativeException.class))
                .returns(Kind.USER, NativeException::kind)
                .extracting(NativeException::getMessage)
                .asString()
                .contains("-1");
    }

    @Test
    void aLongMessageOfTheLibraryArrivesWhole() {
        String name = "state-".repeat(200);
        try (NativeBudget budget = NativeBudget.create(1 << 24, "");
                NativeStore store = NativeStore.create(budget, 128, 0, 127, 0)) {
            store.registerState(NativeStateKind.VALUE, name, -1);

            assertThatThrownBy(() -> store.registerState(NativeStateKind.MAP, name, -1))
                    .asInstanceOf(type(NativeException.class))
                    .returns(Kind.USER, NativeException::kind)
                    .extracting(NativeException::getMessage)
                    .asString()
                    .contains(name);
        }
    }

    private static NativeHandle budget() {
        MemorySegment pointer = StreamFusionAbi.sf_budget_new(1 << 20);
        return new NativeHandle("budget", pointer, StreamFusionAbi::sf_budget_free);
    }
}
