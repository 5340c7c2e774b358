package io.streamfusion.sql.runtime;

import java.util.Objects;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.types.logical.RowType;

/** The type of an edge on which batches pass. */
public final class NativeBatchTypeInfo extends TypeInformation<Object> {
    private static final long serialVersionUID = 1L;

    private final RowType rowType;

    /** The type of batches whose rows are of {@code rowType}. */
    public NativeBatchTypeInfo(RowType rowType) {
        this.rowType = Objects.requireNonNull(rowType, "rowType");
    }

    /** What the rows are. */
    public RowType rowType() {
        return rowType;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public Class<Object> getTypeClass() {
        return (Class) NativeBatchRecord.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<Object> createSerializer(SerializerConfig config) {
        return new NativeBatchSerializer(rowType);
    }

    @Override
    public String toString() {
        return "NativeBatch<" + rowType.asSummaryString() + ">";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NativeBatchTypeInfo that && rowType.equals(that.rowType);
    }

    @Override
    public int hashCode() {
        return rowType.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof NativeBatchTypeInfo;
    }
}
