package io.streamfusion.state.paimon.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.streamfusion.ffi.NativeException;
import io.streamfusion.ffi.generated.StreamFusionAbi;
import io.streamfusion.state.memory.rss.ChildJvm;
import io.streamfusion.state.memory.testing.TestSlot;
import io.streamfusion.state.paimon.PaimonOptions;
import io.streamfusion.state.paimon.StreamFusionPaimonStateBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;

/**
 * Writes until there is no room to spill to, takes a checkpoint, reads everything and goes on when
 * there is room again, and restores. A main class of a JVM of its own; argument: the root of a
 * small disk.
 */
final class SpillsUntilFull {
    private static final long MANAGED = 4 << 20;
    private static final String ROW = "x".repeat(1000);

    /** Pages of the disk that are for spilled rows at first: as much as memory. */
    private static final int PAGES = (int) (MANAGED / Filler.PAGE);

    private SpillsUntilFull() {}

    /** See the class comment. */
    public static void main(String[] arguments) throws Exception {
        Path disk = Path.of(arguments[0]);
        Filler filler = new Filler(disk);
        try (TestSlot slot = new TestSlot(MANAGED)) {
            filler.leave(PAGES);
            AbstractKeyedStateBackend<Long> backend =
                    slot.open(spillingTo(disk), LongSerializer.INSTANCE);
            ValueState<String> state = state(backend);
            long[] written = new long[1];
            NativeException refusal =
                    catchThrowableOfType(
                            NativeException.class,
                            () -> write(backend, state, written, Long.MAX_VALUE));
            ChildJvm.announce("refused", refusal.kind(), refusal.getMessage());
            assertThat(written[0]).isGreaterThan(MANAGED * 3 / 2 / ROW.length());

            // Reads what is in files without room for it in memory.
            KeyedStateHandle handle = slot.checkpoint(backend, 1);
            filler.remove();
            assertRows(backend, written[0]);
            long atCheckpoint = written[0];
            write(backend, state, written, atCheckpoint + atCheckpoint / 4);
            assertRows(backend, written[0]);
            backend.dispose();
            assertThat(disk).isEmptyDirectory();
            assertThat(Files.getFileStore(disk).getUsableSpace())
                    .isEqualTo(Files.getFileStore(disk).getTotalSpace());

            filler.leave(PAGES / 4);
            assertThatThrownBy(() -> slot.open(spillingTo(disk), LongSerializer.INSTANCE, handle))
                    .hasStackTraceContaining(FullDiskTest.FULL)
                    .hasStackTraceContaining(PaimonOptions.SPILL_DIRECTORIES.key());
            filler.remove();
            assertThat(disk).isEmptyDirectory();
            AbstractKeyedStateBackend<Long> restored =
                    slot.open(spillingTo(disk), LongSerializer.INSTANCE, handle);
            assertRows(restored, atCheckpoint);
            restored.setCurrentKey(atCheckpoint);
            assertThat(state(restored).value()).as("a row after the checkpoint").isNull();
        }
        assertThat(disk).isEmptyDirectory();
        ChildJvm.announce(
                "closed", StreamFusionAbi.sf_live_handles(), StreamFusionAbi.sf_charged_bytes());
    }

    private static StreamFusionPaimonStateBackend spillingTo(Path disk) {
        Configuration options =
                new Configuration().set(PaimonOptions.SPILL_DIRECTORIES, List.of(disk.toString()));
        return new StreamFusionPaimonStateBackend()
                .configure(options, SpillsUntilFull.class.getClassLoader());
    }

    private static ValueState<String> state(AbstractKeyedStateBackend<Long> backend)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ValueStateDescriptor<>("balances", StringSerializer.INSTANCE));
    }

    /** Counts the rows that were written in {@code written}. */
    private static void write(
            AbstractKeyedStateBackend<Long> backend,
            ValueState<String> state,
            long[] written,
            long end)
            throws Exception {
        while (written[0] < end) {
            backend.setCurrentKey(written[0]);
            state.update(ROW + written[0]);
            written[0]++;
        }
    }

    private static void assertRows(AbstractKeyedStateBackend<Long> backend, long rows)
            throws Exception {
        ValueState<String> state = state(backend);
        for (long key = 0; key < rows; key++) {
            backend.setCurrentKey(key);
            assertThat(state.value()).isEqualTo(ROW + key);
        }
    }
}
