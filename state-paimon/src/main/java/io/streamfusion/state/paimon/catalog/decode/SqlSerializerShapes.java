package io.streamfusion.state.paimon.catalog.decode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.DataInputViewStream;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.util.InstantiationUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows the serializers of Flink's SQL operators. They are named, not referred to, since the table
 * runtime need not be on the class path; they tell their types in their snapshots only.
 */
final class SqlSerializerShapes {
    private static final Logger LOG = LoggerFactory.getLogger(SqlSerializerShapes.class);

    private static final String PREFIX = "org.apache.flink.table.runtime.";
    private static final String ROW = PREFIX + "typeutils.RowDataSerializer";
    private static final String STRING = PREFIX + "typeutils.StringDataSerializer";
    private static final String DECIMAL = PREFIX + "typeutils.DecimalDataSerializer";
    private static final String TIMESTAMP = PREFIX + "typeutils.TimestampDataSerializer";
    private static final String ARRAY = PREFIX + "typeutils.ArrayDataSerializer";
    private static final String MAP = PREFIX + "typeutils.MapDataSerializer";
    private static final String WINDOW = PREFIX + "operators.window.TimeWindow$Serializer";

    private static final int INITIAL_BYTES = 256;

    private SqlSerializerShapes() {}

    /** The shape of a serializer of SQL; empty for others and where a part has no SQL type. */
    static Optional<Shape> of(TypeSerializer<?> serializer) {
        try {
            if (serializer.getClass().getName().equals(WINDOW)) {
                return Optional.of(window(serializer));
            }
            return type(serializer)
                    .flatMap(PlainSqlType::of)
                    .map(plain -> Shape.typed(plain.type(), serializer, plain::convert));
        } catch (IOException | ClassNotFoundException | RuntimeException | LinkageError e) {
            LOG.warn("Values of {} are shown as bytes.", serializer, e);
            return Optional.empty();
        }
    }

    private static Optional<LogicalType> type(TypeSerializer<?> serializer)
            throws IOException, ClassNotFoundException {
        return Optional.ofNullable(
                switch (serializer.getClass().getName()) {
                    case STRING -> new VarCharType(VarCharType.MAX_LENGTH);
                    case ROW -> {
                        Described described = new Described(serializer);
                        yield RowType.of(
                                described.types(described.number()).toArray(LogicalType[]::new));
                    }
                    case DECIMAL -> {
                        Described described = new Described(serializer);
                        int precision = described.number();
                        yield new DecimalType(precision, described.number());
                    }
                    case TIMESTAMP -> new TimestampType(new Described(serializer).number());
                    case ARRAY -> new ArrayType(new Described(serializer).types(1).get(0));
                    case MAP -> {
                        List<LogicalType> types = new Described(serializer).types(2);
                        yield new MapType(types.get(0), types.get(1));
                    }
                    default -> null;
                });
    }

    /** A window's class is not at hand, but its bytes are two numbers. */
    private static Shape window(TypeSerializer<?> serializer) {
        Shape.Conversion bytes = Shape.bytesOf(serializer).conversion();
        return Shape.typed(
                SerializerShapes.windowType(),
                serializer,
                value -> {
                    DataInputDeserializer in =
                            new DataInputDeserializer((byte[]) bytes.convert(value));
                    return GenericRowData.of(in.readLong(), in.readLong());
                });
    }

    /** The content of a serializer's snapshot. */
    private static final class Described {
        private final ClassLoader classLoader;
        private final DataInputDeserializer in;

        Described(TypeSerializer<?> serializer) throws IOException {
            DataOutputSerializer out = new DataOutputSerializer(INITIAL_BYTES);
            serializer.snapshotConfiguration().writeSnapshot(out);
            this.in = new DataInputDeserializer(out.getCopyOfBuffer());
            this.classLoader = serializer.getClass().getClassLoader();
        }

        int number() throws IOException {
            return in.readInt();
        }

        List<LogicalType> types(int count) throws IOException, ClassNotFoundException {
            List<LogicalType> types = new ArrayList<>();
            DataInputViewStream stream = new DataInputViewStream(in);
            for (int i = 0; i < count; i++) {
                types.add(InstantiationUtil.deserializeObject(stream, classLoader));
            }
            return types;
        }
    }
}
