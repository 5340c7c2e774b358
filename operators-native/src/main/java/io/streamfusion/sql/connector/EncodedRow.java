package io.streamfusion.sql.connector;

import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/**
 * Encoded records on their way through a table sink: rows whose fields are the bytes of the value
 * and, if there is one, of the key, in front of it. The rest of this class takes the place of what
 * the sink would encode with.
 */
final class EncodedRow {
    private EncodedRow() {}

    static RowData of(RowKind kind, byte[] value) {
        GenericRowData row = new GenericRowData(kind, 1);
        row.setField(0, value);
        return row;
    }

    static RowData of(RowKind kind, byte[] key, byte[] value) {
        GenericRowData row = new GenericRowData(kind, 2);
        row.setField(0, key);
        row.setField(1, value);
        return row;
    }

    /** Picks one of the two for a row with one field. */
    static final class Getter implements RowData.FieldGetter {
        private static final long serialVersionUID = 1L;

        static final Getter KEY = new Getter(0);
        static final Getter VALUE = new Getter(1);

        private final int field;

        private Getter(int field) {
            this.field = field;
        }

        @Override
        public Object getFieldOrNull(RowData row) {
            return ((GenericRowData) row).getField(field);
        }
    }

    /** Encodes a row with one field as what is in it. */
    static final class Schema implements SerializationSchema<RowData> {
        private static final long serialVersionUID = 1L;

        @Override
        public byte[] serialize(RowData row) {
            return (byte[]) ((GenericRowData) row).getField(0);
        }
    }
}
