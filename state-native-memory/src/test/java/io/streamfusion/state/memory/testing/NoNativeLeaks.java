package io.streamfusion.state.memory.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeLibrary;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A test class must leave no native object and no charged byte behind. Compared with the beginning
 * of the class, so that the class that leaks is the one that fails.
 *
 * <p>A Flink cluster that has ended does not wait for the threads that were writing a checkpoint of
 * its tasks; they free what they hold when they notice. So what is too much at the end has time to
 * go, and fails when it stays.
 */
public final class NoNativeLeaks implements BeforeAllCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(NoNativeLeaks.class);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private record Held(long objects, long bytes) {
        static Held now() {
            return new Held(StreamFusionAbi.sf_live_handles(), StreamFusionAbi.sf_charged_bytes());
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        NativeLibrary.load();
        context.getStore(NAMESPACE).put(context.getUniqueId(), Held.now());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Held before = context.getStore(NAMESPACE).get(context.getUniqueId(), Held.class);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!Held.now().equals(before) && System.nanoTime() < deadline) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
        assertThat(Held.now())
                .as("native objects and charged bytes that this class leaves")
                .isEqualTo(before);
    }
}
