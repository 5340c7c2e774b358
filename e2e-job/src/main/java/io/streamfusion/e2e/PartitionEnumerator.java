package io.streamfusion.e2e;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Hands every reader all of its partitions at once, when it registers. A partition that came to a
 * running reader later would bring records older than the reader's watermark, and the job's output
 * would no longer be a function of its input.
 *
 * <p>Its checkpoint is the list of partitions that no reader has been given yet.
 */
final class PartitionEnumerator implements SplitEnumerator<PartitionSplit, List<PartitionSplit>> {
    private final SplitEnumeratorContext<PartitionSplit> context;
    private final List<PartitionSplit> pending;

    PartitionEnumerator(
            SplitEnumeratorContext<PartitionSplit> context, List<PartitionSplit> pending) {
        this.context = context;
        this.pending = new ArrayList<>(pending);
    }

    @Override
    public void start() {}

    @Override
    public void addReader(int subtask) {
        List<PartitionSplit> mine = new ArrayList<>();
        for (PartitionSplit split : pending) {
            if (split.partition() % context.currentParallelism() == subtask) {
                mine.add(split);
            }
        }
        if (!mine.isEmpty()) {
            context.assignSplits(new SplitsAssignment<>(Map.of(subtask, mine)));
            pending.removeAll(mine);
        }
        context.signalNoMoreSplits(subtask);
    }

    @Override
    public void handleSplitRequest(int subtask, String requesterHostname) {
        throw new UnsupportedOperationException("Partitions are assigned, not requested");
    }

    @Override
    public void addSplitsBack(List<PartitionSplit> splits, int subtask) {
        pending.addAll(splits);
    }

    @Override
    public List<PartitionSplit> snapshotState(long checkpointId) {
        return List.copyOf(pending);
    }

    @Override
    public void close() {}

    /**
     * The pending splits one after the other, each as {@link PartitionSplit.Serializer} writes it.
     */
    static final class CheckpointSerializer
            implements SimpleVersionedSerializer<List<PartitionSplit>> {
        private static final int SPLIT_BYTES = Integer.BYTES + Long.BYTES;
        private final PartitionSplit.Serializer splits = new PartitionSplit.Serializer();

        @Override
        public int getVersion() {
            return splits.getVersion();
        }

        @Override
        public byte[] serialize(List<PartitionSplit> pending) {
            ByteBuffer buffer = ByteBuffer.allocate(pending.size() * SPLIT_BYTES);
            pending.forEach(split -> buffer.put(splits.serialize(split)));
            return buffer.array();
        }

        @Override
        public List<PartitionSplit> deserialize(int version, byte[] bytes) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            List<PartitionSplit> pending = new ArrayList<>();
            while (buffer.hasRemaining()) {
                byte[] split = new byte[SPLIT_BYTES];
                buffer.get(split);
                pending.add(splits.deserialize(version, split));
            }
            return pending;
        }
    }
}
