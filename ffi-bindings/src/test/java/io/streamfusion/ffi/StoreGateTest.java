package io.streamfusion.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A guest gets in between two calls of the owner, and never during one that began before it came.
 */
class StoreGateTest {
    private static final long PATIENCE_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private final StoreGate gate = new StoreGate();

    @Test
    void anOwnerWithoutGuestsTakesNoLock() {
        assertThat(gate.enter()).isFalse();
        gate.leave(false);
    }

    @Test
    void aGuestIsRefusedWhileTheOwnerMakesNoCall() throws Exception {
        boolean enteredBefore = gate.enter();
        assertThat(gate.enterAsGuest(1)).isFalse();
        gate.leave(enteredBefore);
    }

    @Test
    void theOwnersNextCallLetsGuestsIn() throws Exception {
        CompletableFuture<Boolean> guest = enterAsGuest();
        while (!gate.enter()) {
            gate.leave(false);
        }
        gate.leave(true);
        assertThat(guest.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(gate.enter()).isTrue();
        gate.leave(true);
    }

    @Test
    void announcedGuestsNeedNoCallOfTheOwner() throws Exception {
        gate.share();
        assertThat(enterAsGuest().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    }

    @Test
    void theOwnerWaitsForAGuest() throws Exception {
        gate.share();
        assertThat(gate.enterAsGuest(1)).isTrue();
        CompletableFuture<Boolean> owner =
                CompletableFuture.supplyAsync(
                        () -> {
                            boolean entered = gate.enter();
                            gate.leave(entered);
                            return entered;
                        });
        assertThat(owner).isNotDone();
        gate.leave(true);
        assertThat(owner.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    }

    /** Enters and leaves at once. */
    private CompletableFuture<Boolean> enterAsGuest() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        boolean entered = gate.enterAsGuest(PATIENCE_MILLIS);
                        gate.leave(entered);
                        return entered;
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
    }
}
