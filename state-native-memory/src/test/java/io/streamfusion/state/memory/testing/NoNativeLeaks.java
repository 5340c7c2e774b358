package io.streamfusion.state.memory.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeLibrary;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A test class must leave no native object and no charged byte behind. */
public final class NoNativeLeaks implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        NativeLibrary.load();
        assertNothingIsHeld("before " + context.getDisplayName());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        assertNothingIsHeld("after " + context.getDisplayName());
    }

    private static void assertNothingIsHeld(String when) {
        assertThat(StreamFusionAbi.sf_live_handles()).as("native objects %s", when).isZero();
        assertThat(StreamFusionAbi.sf_charged_bytes()).as("charged bytes %s", when).isZero();
    }
}
