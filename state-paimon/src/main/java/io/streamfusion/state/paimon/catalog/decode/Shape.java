package io.streamfusion.state.paimon.catalog.decode;

import java.io.IOException;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarBinaryType;

/**
 * How what one serializer writes becomes values of a SQL column.
 *
 * @param type of the column, nullable
 * @param typed whether values are decoded; else the column shows the serializer's bytes
 * @param serializer reads the values; empty when it cannot be restored, so that nobody knows where
 *     a value ends
 * @param conversion from the serializer's objects to Flink's internal data
 */
record Shape(
        LogicalType type,
        boolean typed,
        Optional<TypeSerializer<Object>> serializer,
        Conversion conversion) {
    static final LogicalType BYTES = new VarBinaryType(VarBinaryType.MAX_LENGTH);
    private static final int INITIAL_BYTES = 64;

    /** From an object that is not null to internal data. */
    @FunctionalInterface
    interface Conversion {
        @Nullable
        Object convert(Object value) throws IOException;
    }

    /** Values that are decoded. */
    static Shape typed(LogicalType type, TypeSerializer<?> serializer, Conversion conversion) {
        return new Shape(type.copy(true), true, Optional.of(untyped(serializer)), conversion);
    }

    /** Values that are shown as the bytes that {@code serializer} writes. */
    static Shape bytesOf(TypeSerializer<?> serializer) {
        TypeSerializer<Object> ofObjects = untyped(serializer);
        return new Shape(
                BYTES,
                false,
                Optional.of(ofObjects),
                value -> {
                    DataOutputSerializer out = new DataOutputSerializer(INITIAL_BYTES);
                    ofObjects.serialize(value, out);
                    return out.getCopyOfBuffer();
                });
    }

    /** Bytes of which nothing is known. */
    static Shape unknown() {
        return new Shape(BYTES, false, Optional.empty(), value -> value);
    }

    /** Whether the end of a value is known. */
    boolean isReadable() {
        return serializer.isPresent();
    }

    /** Internal data for an object of the serializer; null stays null. */
    @Nullable
    Object convert(@Nullable Object value) throws IOException {
        return value == null ? null : conversion.convert(value);
    }

    /** Reads the next object; only when {@link #isReadable}. */
    Object read(DataInputDeserializer in) throws IOException {
        return serializer.orElseThrow().deserialize(in);
    }

    /** Every serializer reads objects, whatever their class. */
    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> untyped(TypeSerializer<?> serializer) {
        return (TypeSerializer<Object>) serializer;
    }
}
