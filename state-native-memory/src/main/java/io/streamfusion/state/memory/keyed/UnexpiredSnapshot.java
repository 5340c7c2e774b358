package io.streamfusion.state.memory.keyed;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/** A full snapshot without the expired elements of list states. */
final class UnexpiredSnapshot<K> implements FullSnapshotResources<K> {
    private final FullSnapshotResources<K> all;
    private final Map<Integer, ListExpiry> expiryOfState;
    private final long now;

    /**
     * Filters a snapshot.
     *
     * @param all owned by this object
     * @param expiryOfState by position in the list of states of the snapshot
     * @param now the time-to-live clock at the moment of the snapshot
     */
    UnexpiredSnapshot(
            FullSnapshotResources<K> all, Map<Integer, ListExpiry> expiryOfState, long now) {
        this.all = all;
        this.expiryOfState = expiryOfState;
        this.now = now;
    }

    @Override
    public KeyValueStateIterator createKVStateIterator() throws IOException {
        return new Living(all.createKVStateIterator());
    }

    @Override
    public List<StateMetaInfoSnapshot> getMetaInfoSnapshots() {
        return all.getMetaInfoSnapshots();
    }

    @Override
    public KeyGroupRange getKeyGroupRange() {
        return all.getKeyGroupRange();
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return all.getKeySerializer();
    }

    @Override
    public StreamCompressionDecorator getStreamCompressionDecorator() {
        return all.getStreamCompressionDecorator();
    }

    @Override
    public void release() {
        all.release();
    }

    /**
     * Skips rows without living elements; a group begins with its first row that is not skipped.
     */
    private final class Living implements KeyValueStateIterator {
        private final KeyValueStateIterator rows;
        private int keyGroup = -1;
        private int state = -1;
        private boolean newKeyGroup;
        private boolean newState;
        private byte[] value;

        private Living(KeyValueStateIterator rows) throws IOException {
            this.rows = rows;
            settle();
        }

        @Override
        public void next() throws IOException {
            rows.next();
            settle();
        }

        private void settle() throws IOException {
            while (rows.isValid()) {
                ListExpiry expiry = expiryOfState.get(rows.kvStateId());
                value = expiry == null ? rows.value() : expiry.living(rows.value(), now);
                if (value != null) {
                    newKeyGroup = rows.keyGroup() != keyGroup;
                    newState = newKeyGroup || rows.kvStateId() != state;
                    keyGroup = rows.keyGroup();
                    state = rows.kvStateId();
                    return;
                }
                rows.next();
            }
        }

        @Override
        public int keyGroup() {
            return keyGroup;
        }

        @Override
        public byte[] key() {
            return rows.key();
        }

        @Override
        public byte[] value() {
            return value;
        }

        @Override
        public int kvStateId() {
            return state;
        }

        @Override
        public boolean isNewKeyValueState() {
            return newState;
        }

        @Override
        public boolean isNewKeyGroup() {
            return newKeyGroup;
        }

        @Override
        public boolean isValid() {
            return rows.isValid();
        }

        @Override
        public void close() {
            rows.close();
        }
    }
}
