package io.streamfusion.state.paimon.table;

import java.util.Arrays;
import java.util.Optional;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;

/** Types of typed columns; the code is that of the native interface. */
public enum ColumnType {
    BOOLEAN(0),
    TINYINT(1),
    SMALLINT(2),
    INT(3),
    BIGINT(4),
    FLOAT(5),
    DOUBLE(6),
    STRING(7),
    BYTES(8),
    DATE(9),
    TIMESTAMP(10);

    private final int code;

    ColumnType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** The type with this code. */
    static Optional<ColumnType> ofCode(int code) {
        return Arrays.stream(values()).filter(type -> type.code == code).findFirst();
    }

    /** The column's type in a Paimon schema; nullable, as every typed column is. */
    DataType paimon() {
        return switch (this) {
            case BOOLEAN -> DataTypes.BOOLEAN();
            case TINYINT -> DataTypes.TINYINT();
            case SMALLINT -> DataTypes.SMALLINT();
            case INT -> DataTypes.INT();
            case BIGINT -> DataTypes.BIGINT();
            case FLOAT -> DataTypes.FLOAT();
            case DOUBLE -> DataTypes.DOUBLE();
            case STRING -> DataTypes.STRING();
            case BYTES -> DataTypes.BYTES();
            case DATE -> DataTypes.DATE();
            case TIMESTAMP -> DataTypes.TIMESTAMP(3);
        };
    }
}
