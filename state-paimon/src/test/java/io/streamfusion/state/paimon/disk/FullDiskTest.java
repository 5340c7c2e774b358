package io.streamfusion.state.paimon.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.ffi.NativeException;
import io.streamfusion.state.memory.rss.ChildJvm;
import io.streamfusion.state.memory.rss.SmallDisk;
import io.streamfusion.state.paimon.PaimonOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Disks that run full, of processes that alone see them. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "A disk of a process's own needs Linux.")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullDiskTest {
    private static final int HEAP_MEGABYTES = 256;
    private static final int DISK_BYTES = 8 << 20;

    /** What the operating system calls it. */
    static final String FULL = "No space left on device";

    private static ChildJvm start(Class<?> main, Path disk) throws Exception {
        return ChildJvm.startWith(
                SmallDisk.launcher(disk, DISK_BYTES), main, HEAP_MEGABYTES, disk.toString());
    }

    private static List<String> next(ChildJvm child, String what) throws Exception {
        List<String> message = child.nextMessage();
        assertThat(message.get(0)).isEqualTo(what);
        child.goOn();
        return message.subList(1, message.size());
    }

    private static void assertClosed(ChildJvm child) throws Exception {
        assertThat(next(child, "closed"))
                .as("live objects, charged bytes")
                .containsExactly("0", "0");
    }

    @Test
    void ofSpilledStateFailsTheWriteAndLosesNothing(@TempDir Path disk) throws Exception {
        try (ChildJvm child = start(SpillsUntilFull.class, disk)) {
            List<String> refused = next(child, "refused");
            assertThat(refused.get(0)).isEqualTo(NativeException.Kind.EXTERNAL.toString());
            assertThat(String.join(" ", refused))
                    .contains(disk.toString())
                    .contains(FULL)
                    .contains(PaimonOptions.SPILL_DIRECTORIES.key());
            assertClosed(child);
        }
    }

    @Test
    void ofCheckpointsFailsTheCheckpointAndNothingElse(@TempDir Path disk) throws Exception {
        try (ChildJvm child = start(CheckpointsUntilFull.class, disk)) {
            // Data files, the files of the table's snapshot and the manifest, each in its turn.
            assertThat(Integer.parseInt(next(child, "failures").get(0)))
                    .as("checkpoints for which there was no room")
                    .isGreaterThan(5);
            assertClosed(child);
        }
    }
}
