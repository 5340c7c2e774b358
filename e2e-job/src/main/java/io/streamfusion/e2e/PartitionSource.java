package io.streamfusion.e2e;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A replayable source of a fixed number of partitions, each read at a limited rate until a file
 * says how long the partitions are; from then on as fast as possible, to that end.
 *
 * <p>So a test can hold the job in flight for as long as it takes to disturb it, and still know
 * exactly what went in.
 */
final class PartitionSource implements Source<Event, PartitionSplit, List<PartitionSplit>> {
    private static final long serialVersionUID = 1L;

    private final int partitions;
    private final long recordsPerSecond;
    private final String endFile;

    /**
     * @param partitions number of partitions
     * @param recordsPerSecond limit of each partition, per second of wall-clock time
     * @param endFile path of a text file that appears once, atomically, with the number of records
     *     of every partition
     */
    PartitionSource(int partitions, long recordsPerSecond, String endFile) {
        this.partitions = partitions;
        this.recordsPerSecond = recordsPerSecond;
        this.endFile = endFile;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<Event, PartitionSplit> createReader(SourceReaderContext context) {
        return new PartitionReader(recordsPerSecond, new EndFile(endFile));
    }

    @Override
    public SplitEnumerator<PartitionSplit, List<PartitionSplit>> createEnumerator(
            SplitEnumeratorContext<PartitionSplit> context) {
        List<PartitionSplit> all =
                IntStream.range(0, partitions).mapToObj(p -> new PartitionSplit(p, 0)).toList();
        return new PartitionEnumerator(context, all);
    }

    @Override
    public SplitEnumerator<PartitionSplit, List<PartitionSplit>> restoreEnumerator(
            SplitEnumeratorContext<PartitionSplit> context, List<PartitionSplit> pending) {
        return new PartitionEnumerator(context, pending);
    }

    @Override
    public SimpleVersionedSerializer<PartitionSplit> getSplitSerializer() {
        return new PartitionSplit.Serializer();
    }

    @Override
    public SimpleVersionedSerializer<List<PartitionSplit>> getEnumeratorCheckpointSerializer() {
        return new PartitionEnumerator.CheckpointSerializer();
    }
}
