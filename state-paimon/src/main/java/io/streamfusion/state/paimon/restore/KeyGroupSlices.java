package io.streamfusion.state.paimon.restore;

import io.streamfusion.ffi.NativeTableFooter.RowGroup;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRange;

/** Divides key groups among threads by the bytes of their rows. */
final class KeyGroupSlices {
    /** Less than this is not worth a thread: row groups at a border are read by both sides. */
    private static final long LEAST_SLICE_BYTES = 1 << 20;

    private KeyGroupSlices() {}

    /**
     * Ranges that together are {@code wanted}; none when that is empty or has no rows.
     *
     * @param threads how many ranges at most
     */
    static List<KeyGroupRange> of(KeyGroupRange wanted, int threads, List<RowGroup> groups) {
        int count = wanted.getNumberOfKeyGroups();
        double[] bytes = new double[count];
        double total = 0;
        for (RowGroup group : groups) {
            int first = Math.max(group.firstKeyGroup(), wanted.getStartKeyGroup());
            int last = Math.min(group.lastKeyGroup(), wanted.getEndKeyGroup());
            double each =
                    (double) group.length() / (group.lastKeyGroup() - group.firstKeyGroup() + 1);
            for (int keyGroup = first; keyGroup <= last; keyGroup++) {
                bytes[keyGroup - wanted.getStartKeyGroup()] += each;
                total += each;
            }
        }
        if (total == 0) {
            return List.of();
        }
        double slice = Math.max(LEAST_SLICE_BYTES, total / Math.max(1, threads));
        List<KeyGroupRange> slices = new ArrayList<>();
        int start = 0;
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += bytes[i];
            boolean last = i == count - 1;
            boolean full = sum >= slice && slices.size() < threads - 1;
            if (full || last) {
                slices.add(
                        KeyGroupRange.of(
                                wanted.getStartKeyGroup() + start, wanted.getStartKeyGroup() + i));
                start = i + 1;
                sum = 0;
            }
        }
        return slices;
    }
}
