package io.streamfusion.e2e;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A partition and the position to go on from.
 *
 * @param partition source partition, from 0
 * @param next sequence number of the next record
 */
record PartitionSplit(int partition, long next) implements SourceSplit {

    @Override
    public String splitId() {
        return Integer.toString(partition);
    }

    /** Twelve bytes: partition, next position. */
    static final class Serializer implements SimpleVersionedSerializer<PartitionSplit> {
        private static final int VERSION = 1;

        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(PartitionSplit split) {
            return ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                    .putInt(split.partition())
                    .putLong(split.next())
                    .array();
        }

        @Override
        public PartitionSplit deserialize(int version, byte[] bytes) throws IOException {
            if (version != VERSION) {
                throw new IOException("Unknown version of a partition split: " + version);
            }
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            return new PartitionSplit(buffer.getInt(), buffer.getLong());
        }
    }
}
