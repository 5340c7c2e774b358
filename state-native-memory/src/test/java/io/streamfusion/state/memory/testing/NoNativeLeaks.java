package io.streamfusion.state.memory.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeLibrary;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A test class must leave no native object and no charged byte behind. Compared with the beginning
 * of the class, so that the class that leaks is the one that fails.
 */
public final class NoNativeLeaks implements BeforeAllCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(NoNativeLeaks.class);

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
        assertThat(Held.now())
                .as("native objects and charged bytes that this class leaves")
                .isEqualTo(context.getStore(NAMESPACE).get(context.getUniqueId()));
    }
}
