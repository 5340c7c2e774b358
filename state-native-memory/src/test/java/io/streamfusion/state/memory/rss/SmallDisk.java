package io.streamfusion.state.memory.rss;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A disk in memory that one child process alone sees, so that a test can fill it. */
public final class SmallDisk {
    /** As the superuser, or as anybody where the kernel lets users have namespaces. */
    private static final List<List<String>> NAMESPACES =
            List.of(
                    List.of("unshare", "--mount"),
                    List.of("unshare", "--user", "--map-root-user", "--mount"));

    private static final String MOUNT_AND_RUN =
            "mount -t tmpfs -o size=$1 tmpfs \"$2\" && shift 2 && exec \"$@\"";

    private SmallDisk() {}

    /**
     * What {@link ChildJvm#startWith} needs for a child with an empty disk of so many bytes at a
     * directory, which is there. Aborts the test where no process may mount anything.
     */
    public static List<String> launcher(Path at, int bytes)
            throws IOException, InterruptedException {
        StringBuilder refusals = new StringBuilder();
        for (List<String> namespace : NAMESPACES) {
            List<String> launcher = new ArrayList<>(namespace);
            launcher.addAll(
                    List.of(
                            "sh",
                            "-c",
                            MOUNT_AND_RUN,
                            "sh",
                            Integer.toString(bytes),
                            at.toAbsolutePath().toString()));
            String refusal = refusal(launcher);
            if (refusal.isEmpty()) {
                return launcher;
            }
            refusals.append("; ").append(String.join(" ", namespace)).append(": ").append(refusal);
        }
        return Assumptions.abort("No process may mount a disk here" + refusals);
    }

    /** Why a process cannot be started like this; empty when it can. */
    private static String refusal(List<String> launcher) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(launcher);
        command.add("true");
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return e.getMessage();
        }
        try (var output = process.inputReader()) {
            String said = String.join(" ", output.lines().toList());
            int code = process.waitFor();
            return code == 0 ? "" : said + " (exit code " + code + ")";
        }
    }
}
