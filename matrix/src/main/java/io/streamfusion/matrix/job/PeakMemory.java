package io.streamfusion.matrix.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Greatest resident set of a process on Linux; unknown elsewhere. */
final class PeakMemory {
    private static final String RESET_PEAK = "5";
    private static final String LINE = "VmHWM:";
    private static final long KIB = 1024;

    private PeakMemory() {}

    /** From now on the peak counts anew. */
    static void reset(long pid) throws IOException {
        Path file = Path.of("/proc", Long.toString(pid), "clear_refs");
        if (Files.exists(file)) {
            Files.writeString(file, RESET_PEAK);
        }
    }

    /** Bytes; empty where the system does not say. */
    static OptionalLong of(long pid) throws IOException {
        Path file = Path.of("/proc", Long.toString(pid), "status");
        if (!Files.exists(file)) {
            return OptionalLong.empty();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(LINE))
                    .map(line -> line.substring(LINE.length()).strip().split(" ", -1)[0])
                    .mapToLong(kib -> Long.parseLong(kib) * KIB)
                    .findFirst();
        }
    }
}
