package io.streamfusion.sql.runtime;

import io.streamfusion.ffi.NativeFrames;
import io.streamfusion.sql.plan.TypeEncoder;
import java.io.IOException;
import java.util.Objects;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.table.types.logical.RowType;

/**
 * Passes batches. They do not change, so a copy is the batch itself: whoever emits a batch frees it
 * when all that it was emitted to have returned, and whoever needs it longer retains it. Through
 * the network they go as a length and a frame; the batch that comes out belongs to the operator
 * that receives it, which therefore has to be a native one.
 */
public final class NativeBatchSerializer extends TypeSerializer<Object> {
    private static final long serialVersionUID = 1L;

    private final RowType rowType;

    /** Made when first needed. */
    private transient byte[] encodedType;

    NativeBatchSerializer(RowType rowType) {
        this.rowType = Objects.requireNonNull(rowType, "rowType");
    }

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public TypeSerializer<Object> duplicate() {
        return this;
    }

    @Override
    public Object createInstance() {
        throw new UnsupportedOperationException("a batch has no instance that is reused");
    }

    @Override
    public Object copy(Object from) {
        return from;
    }

    @Override
    public Object copy(Object from, Object reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(Object batch, DataOutputView target) throws IOException {
        byte[] frame =
                NativeFrames.write(BatchMemory.current(), ((NativeBatchRecord) batch).batch());
        target.writeInt(frame.length);
        target.write(frame);
    }

    @Override
    public Object deserialize(DataInputView source) throws IOException {
        byte[] frame = new byte[source.readInt()];
        source.readFully(frame);
        return NativeBatchRecord.give(
                NativeFrames.read(BatchMemory.current(), encodedType(), frame));
    }

    @Override
    public Object deserialize(Object reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        byte[] frame = new byte[source.readInt()];
        source.readFully(frame);
        target.writeInt(frame.length);
        target.write(frame);
    }

    private byte[] encodedType() {
        if (encodedType == null) {
            encodedType = TypeEncoder.encode(rowType).toByteArray();
        }
        return encodedType;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NativeBatchSerializer that && rowType.equals(that.rowType);
    }

    @Override
    public int hashCode() {
        return rowType.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<Object> snapshotConfiguration() {
        throw new UnsupportedOperationException("batches are never part of a snapshot");
    }
}
