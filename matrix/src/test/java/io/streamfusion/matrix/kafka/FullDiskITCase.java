package io.streamfusion.matrix.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.streamfusion.matrix.job.FlinkBuild;
import io.streamfusion.nexmark.generator.NexmarkSettings;
import io.streamfusion.state.memory.rss.ChildJvm;
import io.streamfusion.state.memory.rss.SmallDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A broker whose disk is full ends, and the error says why. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "A disk of a process's own needs Linux.")
class FullDiskITCase {
    private static final int HEAP_MEGABYTES = 256;
    private static final int DISK_BYTES = 96 << 20;
    private static final long MORE_EVENTS_THAN_FIT = 1_000_000;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void isNamed(@TempDir Path disk) throws Exception {
        try (ChildJvm child =
                ChildJvm.startWith(
                        SmallDisk.launcher(disk, DISK_BYTES),
                        Filler.class,
                        HEAP_MEGABYTES,
                        System.getProperty("sf.root"),
                        disk.toString())) {
            assertThat(String.join(" ", child.nextMessage()))
                    .startsWith("the Kafka broker ended by itself with ")
                    .contains(": the disk of " + disk + "/data is full");
            child.goOn();
        }
    }

    /** The child: loads more than fits. */
    static final class Filler {
        private Filler() {}

        /** Root of the project, and the disk. */
        public static void main(String[] arguments) throws IOException {
            Path disk = Path.of(arguments[1]);
            try (KafkaBroker broker =
                            KafkaBroker.start(
                                    disk,
                                    Path.of(System.getProperty("java.home")),
                                    new FlinkBuild(Path.of(arguments[0]), disk).brokerClassPath(),
                                    OptionalInt.empty());
                    Topics topics = new Topics(broker)) {
                new CorpusLoader(broker, topics)
                        .load(new Corpus(NexmarkSettings.ofSeed(1), MORE_EVENTS_THAN_FIT, 4));
                ChildJvm.announce("everything fits");
            } catch (BrokerException e) {
                ChildJvm.announce(e.getMessage());
            }
        }
    }
}
