package io.streamfusion.nexmark.connector;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The checkpoint form of ranges and of the enumerator: big-endian longs. Stateless. */
final class RangeSerializers {
    private static final int VERSION = 1;

    private RangeSerializers() {}

    /** {@code first, end}. */
    static final class OfRange implements SimpleVersionedSerializer<EventRange> {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(EventRange range) {
            ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
            return bytes.putLong(range.first()).putLong(range.end()).array();
        }

        @Override
        public EventRange deserialize(int version, byte[] serialized) throws IOException {
            checkVersion(version);
            try {
                return readRange(ByteBuffer.wrap(serialized));
            } catch (BufferUnderflowException e) {
                throw new IOException("a range of Nexmark events is cut short", e);
            }
        }
    }

    /** {@code next}, then the returned ranges to the end of the bytes. */
    static final class OfEnumerator implements SimpleVersionedSerializer<EnumeratorState> {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(EnumeratorState state) {
            int longs = 1 + 2 * state.returned().size();
            ByteBuffer bytes = ByteBuffer.allocate(longs * Long.BYTES).putLong(state.next());
            for (EventRange range : state.returned()) {
                bytes.putLong(range.first()).putLong(range.end());
            }
            return bytes.array();
        }

        @Override
        public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
            checkVersion(version);
            ByteBuffer bytes = ByteBuffer.wrap(serialized);
            try {
                long next = bytes.getLong();
                List<EventRange> returned = new ArrayList<>();
                while (bytes.hasRemaining()) {
                    returned.add(readRange(bytes));
                }
                return new EnumeratorState(next, returned);
            } catch (BufferUnderflowException e) {
                throw new IOException("the state of the Nexmark source is cut short", e);
            }
        }
    }

    private static EventRange readRange(ByteBuffer bytes) {
        long first = bytes.getLong();
        return new EventRange(first, bytes.getLong());
    }

    private static void checkVersion(int version) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "state of the Nexmark source has version "
                            + version
                            + ", this connector reads version "
                            + VERSION);
        }
    }
}
