package io.streamfusion.state.memory.rss;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM that runs one main class and stops at the points it announces, so that its memory can be
 * measured from outside: it prints a line, and goes on when it gets one.
 */
public final class ChildJvm implements AutoCloseable {
    /** A line of the child's that begins like this is meant for the test. */
    static final String MARK = "## ";

    private final Process process;
    private final BufferedReader output;
    private final Writer input;
    private final StringBuilder log = new StringBuilder();

    private ChildJvm(Process process) {
        this.process = process;
        output = process.inputReader(UTF_8);
        input = process.outputWriter(UTF_8);
    }

    /**
     * Starts a child on this JVM's class path.
     *
     * @param heapMegabytes size of its heap, resident from the start
     */
    public static ChildJvm start(Class<?> main, int heapMegabytes, String... arguments)
            throws IOException {
        return startWith(List.of(), main, heapMegabytes, arguments);
    }

    /**
     * Starts a child on this JVM's class path by way of another program.
     *
     * @param launcher a command line that ends with the child's own, and becomes its process
     * @param heapMegabytes size of its heap, resident from the start
     */
    public static ChildJvm startWith(
            List<String> launcher, Class<?> main, int heapMegabytes, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(launcher);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xms" + heapMegabytes + "m");
        command.add("-Xmx" + heapMegabytes + "m");
        // What the heap and the compiler need later must not look like native state.
        command.add("-XX:+AlwaysPreTouch");
        command.add("-XX:+UseSerialGC");
        command.add("-XX:TieredStopAtLevel=1");
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--add-")
                    || flag.startsWith("--enable-native-access")
                    || flag.startsWith("--sun-misc")
                    || flag.startsWith("-Dstreamfusion.")) {
                command.add(flag);
            }
        }
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ChildJvm(new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /**
     * Waits for the child's next message.
     *
     * @return its words behind the mark
     * @throws AssertionError when the child ends before
     */
    public List<String> nextMessage() throws IOException {
        String line;
        while ((line = output.readLine()) != null) {
            log.append(line).append('\n');
            if (line.startsWith(MARK)) {
                return List.of(line.substring(MARK.length()).split(" ", -1));
            }
        }
        throw new AssertionError("The child ended early:\n" + log);
    }

    /** Lets the child go on. */
    public void goOn() throws IOException {
        input.write('\n');
        input.flush();
    }

    /** Bytes of physical memory that the child uses now. */
    public long resident() throws IOException {
        return status("VmRSS:");
    }

    /** The most bytes of physical memory that the child has ever used. */
    public long highestResident() throws IOException {
        return status("VmHWM:");
    }

    private long status(String field) throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith(field)) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        throw new AssertionError(status + " has no " + field);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    // ---- the child's side

    /** Announces something and waits until it may go on. */
    public static void announce(Object... words) throws IOException {
        StringBuilder line = new StringBuilder(MARK);
        for (int i = 0; i < words.length; i++) {
            line.append(i == 0 ? "" : " ").append(words[i]);
        }
        System.out.println(line);
        if (System.in.read() < 0) {
            throw new IOException("The test has gone away.");
        }
    }
}
