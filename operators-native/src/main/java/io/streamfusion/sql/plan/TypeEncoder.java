package io.streamfusion.sql.plan;

import io.streamfusion.plan.proto.DataType;
import io.streamfusion.plan.proto.Field;
import java.util.List;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * Writes Flink's types as messages. A type that has no native form becomes {@link
 * DataType.Root#UNKNOWN}: whether a plan that has one can run is the native side's decision.
 */
public final class TypeEncoder {
    private TypeEncoder() {}

    /** The message for a type. */
    public static DataType encode(LogicalType type) {
        DataType.Builder message = DataType.newBuilder().setNullable(type.isNullable());
        switch (type.getTypeRoot()) {
            case CHAR ->
                    message.setRoot(DataType.Root.CHAR).setLength(((CharType) type).getLength());
            case VARCHAR ->
                    message.setRoot(DataType.Root.VARCHAR)
                            .setLength(((VarCharType) type).getLength());
            case BOOLEAN -> message.setRoot(DataType.Root.BOOLEAN);
            case BINARY ->
                    message.setRoot(DataType.Root.BINARY)
                            .setLength(((BinaryType) type).getLength());
            case VARBINARY ->
                    message.setRoot(DataType.Root.VARBINARY)
                            .setLength(((VarBinaryType) type).getLength());
            case DECIMAL ->
                    message.setRoot(DataType.Root.DECIMAL)
                            .setPrecision(((DecimalType) type).getPrecision())
                            .setScale(((DecimalType) type).getScale());
            case TINYINT -> message.setRoot(DataType.Root.TINYINT);
            case SMALLINT -> message.setRoot(DataType.Root.SMALLINT);
            case INTEGER -> message.setRoot(DataType.Root.INTEGER);
            case BIGINT -> message.setRoot(DataType.Root.BIGINT);
            case FLOAT -> message.setRoot(DataType.Root.FLOAT);
            case DOUBLE -> message.setRoot(DataType.Root.DOUBLE);
            case DATE -> message.setRoot(DataType.Root.DATE);
            case TIME_WITHOUT_TIME_ZONE ->
                    message.setRoot(DataType.Root.TIME)
                            .setPrecision(((TimeType) type).getPrecision());
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    message.setRoot(DataType.Root.TIMESTAMP)
                            .setPrecision(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    message.setRoot(DataType.Root.TIMESTAMP_LTZ)
                            .setPrecision(((LocalZonedTimestampType) type).getPrecision());
            case INTERVAL_YEAR_MONTH -> message.setRoot(DataType.Root.INTERVAL_YEAR_MONTH);
            case INTERVAL_DAY_TIME -> message.setRoot(DataType.Root.INTERVAL_DAY_TIME);
            case ARRAY ->
                    message.setRoot(DataType.Root.ARRAY)
                            .addChildren(unnamed(((ArrayType) type).getElementType()));
            case MULTISET ->
                    message.setRoot(DataType.Root.MULTISET)
                            .addChildren(unnamed(((MultisetType) type).getElementType()));
            case MAP ->
                    message.setRoot(DataType.Root.MAP)
                            .addChildren(unnamed(((MapType) type).getKeyType()))
                            .addChildren(unnamed(((MapType) type).getValueType()));
            case ROW -> {
                message.setRoot(DataType.Root.ROW);
                List<RowType.RowField> fields = ((RowType) type).getFields();
                for (RowType.RowField field : fields) {
                    message.addChildren(
                            Field.newBuilder()
                                    .setName(field.getName())
                                    .setType(encode(field.getType())));
                }
            }
            case NULL -> message.setRoot(DataType.Root.NULL);
            case TIMESTAMP_WITH_TIME_ZONE,
                    DISTINCT_TYPE,
                    STRUCTURED_TYPE,
                    RAW,
                    SYMBOL,
                    UNRESOLVED,
                    DESCRIPTOR,
                    VARIANT ->
                    message.setRoot(DataType.Root.UNKNOWN);
        }
        return message.build();
    }

    private static Field unnamed(LogicalType type) {
        return Field.newBuilder().setType(encode(type)).build();
    }
}
