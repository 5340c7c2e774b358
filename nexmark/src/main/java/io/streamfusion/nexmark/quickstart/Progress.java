package io.streamfusion.nexmark.quickstart;

import java.util.Locale;
import java.util.OptionalLong;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.checkpoint.TaskStateStats;

/** The lines that a running job prints. */
final class Progress {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Progress() {}

    /**
     * One moment of a job.
     *
     * @param nanos since the job was submitted
     * @param checkpoint null before the first one
     */
    record Sample(
            long nanos,
            long events,
            OptionalLong entries,
            OptionalLong bytes,
            CompletedCheckpointStats checkpoint) {}

    /** Events in a second since the sample before, state, and the last checkpoint. */
    static String line(Sample before, Sample now) {
        StringBuilder line = new StringBuilder();
        line.append(String.format(Locale.ROOT, "%6.1f s", now.nanos() / 1e9));
        line.append(String.format(Locale.ROOT, "  %,11d events", now.events()));
        double seconds = Math.max(now.nanos() - before.nanos(), 1) / 1e9;
        double rate = (now.events() - before.events()) / seconds;
        line.append(String.format(Locale.ROOT, "  %,9.0f/s", rate));
        line.append("  state ").append(state(now));
        line.append(
                now.checkpoint() == null ? "  no checkpoint yet" : checkpoint(now.checkpoint()));
        return line.toString();
    }

    private static String state(Sample now) {
        if (now.entries().isEmpty()) {
            return "not reported";
        }
        String entries = String.format(Locale.ROOT, "%,9d entries", now.entries().getAsLong());
        return now.bytes().isEmpty() ? entries : entries + " " + bytes(now.bytes().getAsLong());
    }

    /**
     * Bytes written of all bytes of the checkpoint, longest synchronous part of a subtask, time
     * from trigger to completion.
     */
    private static String checkpoint(CompletedCheckpointStats checkpoint) {
        return String.format(
                Locale.ROOT,
                "  checkpoint %d: %s written of %s, sync %d ms, total %d ms",
                checkpoint.getCheckpointId(),
                bytes(checkpoint.getCheckpointedSize()),
                bytes(checkpoint.getStateSize()),
                longestSyncMillis(checkpoint),
                checkpoint.getEndToEndDuration());
    }

    private static long longestSyncMillis(CompletedCheckpointStats checkpoint) {
        return checkpoint.getAllTaskStateStats().stream()
                .map(TaskStateStats::getSummaryStats)
                .mapToLong(stats -> stats.getSyncCheckpointDurationStats().getMaximum())
                .max()
                .orElse(0);
    }

    static String bytes(long count) {
        double value = count;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        String pattern = unit == 0 ? "%.0f %s" : "%.1f %s";
        return String.format(Locale.ROOT, pattern, value, UNITS[unit]);
    }
}
