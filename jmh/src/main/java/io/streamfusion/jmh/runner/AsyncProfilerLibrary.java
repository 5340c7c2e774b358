package io.streamfusion.jmh.runner;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** The async-profiler of the class path, whose jar holds it for each platform, as a file. */
final class AsyncProfilerLibrary {
    private AsyncProfilerLibrary() {}

    /**
     * Extracts the library into a directory.
     *
     * @return options of JMH's profiler {@code async}: CPU time with native frames, as flame graph
     *     and as text, in that directory
     * @throws IOException when there is no library for this platform
     */
    static String options(Path directory) throws IOException {
        Path file = directory.resolve("libasyncProfiler.so");
        String resource = "/" + platform() + "/libasyncProfiler.so";
        Files.createDirectories(directory);
        try (InputStream in = AsyncProfilerLibrary.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException(
                        "No async-profiler for this platform on the class path ("
                                + resource
                                + "); give --profile async:libPath=FILE");
            }
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return "libPath=" + file + ";event=itimer;output=flamegraph,text;dir=" + directory;
    }

    private static String platform() {
        if (System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac")) {
            return "macos";
        }
        return System.getProperty("os.arch").equals("aarch64") ? "linux-arm64" : "linux-x64";
    }
}
