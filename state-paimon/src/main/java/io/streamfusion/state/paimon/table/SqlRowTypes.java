package io.streamfusion.state.paimon.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.DataInputViewStream;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.util.InstantiationUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the types of the fields of a {@code RowDataSerializer}. */
final class SqlRowTypes {
    private static final Logger LOG = LoggerFactory.getLogger(SqlRowTypes.class);

    /** Up to this precision a timestamp is kept as its milliseconds. */
    private static final int MILLIS = 3;

    private SqlRowTypes() {}

    static Optional<KnownBytes> of(TypeSerializer<?> rowSerializer) {
        try {
            List<LogicalType> types = types(rowSerializer);
            List<KnownBytes.Field> fields = new ArrayList<>();
            for (int i = 0; i < types.size(); i++) {
                int index = i;
                columnType(types.get(i))
                        .ifPresent(type -> fields.add(new KnownBytes.Field(index, type)));
            }
            return fields.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new KnownBytes(0, KnownBytes.Coding.ROW_FIELD, types.size(), fields));
        } catch (IOException | ClassNotFoundException | LinkageError e) {
            LOG.warn("The fields of {} are shown as bytes only.", rowSerializer, e);
            return Optional.empty();
        }
    }

    /** The serializer tells nobody but its snapshot, whose first part is the list of its types. */
    private static List<LogicalType> types(TypeSerializer<?> rowSerializer)
            throws IOException, ClassNotFoundException {
        DataOutputSerializer snapshot = new DataOutputSerializer(256);
        rowSerializer.snapshotConfiguration().writeSnapshot(snapshot);
        DataInputDeserializer in = new DataInputDeserializer(snapshot.getCopyOfBuffer());
        int count = in.readInt();
        List<LogicalType> types = new ArrayList<>();
        try (DataInputViewStream stream = new DataInputViewStream(in)) {
            for (int i = 0; i < count; i++) {
                types.add(
                        InstantiationUtil.deserializeObject(
                                stream, rowSerializer.getClass().getClassLoader()));
            }
        }
        return types;
    }

    private static Optional<ColumnType> columnType(LogicalType type) {
        return Optional.ofNullable(
                switch (type.getTypeRoot()) {
                    case BOOLEAN -> ColumnType.BOOLEAN;
                    case TINYINT -> ColumnType.TINYINT;
                    case SMALLINT -> ColumnType.SMALLINT;
                    case INTEGER -> ColumnType.INT;
                    case BIGINT -> ColumnType.BIGINT;
                    case FLOAT -> ColumnType.FLOAT;
                    case DOUBLE -> ColumnType.DOUBLE;
                    case CHAR, VARCHAR -> ColumnType.STRING;
                    case BINARY, VARBINARY -> ColumnType.BYTES;
                    case DATE -> ColumnType.DATE;
                    case TIMESTAMP_WITHOUT_TIME_ZONE ->
                            ((TimestampType) type).getPrecision() <= MILLIS
                                    ? ColumnType.TIMESTAMP
                                    : null;
                    default -> null;
                });
    }
}
