package io.streamfusion.sql.connector;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/**
 * Takes the place of a table source's value format, and hands the bytes of messages through the
 * connector undecoded: as the one field of a row that is only valid during the call.
 */
final class RawMessages implements DeserializationSchema<RowData> {
    private static final long serialVersionUID = 1L;

    private final TypeInformation<RowData> producedType;
    private transient GenericRowData row;

    RawMessages(TypeInformation<RowData> producedType) {
        this.producedType = producedType;
    }

    /** The bytes in a row that this class has made; null for Kafka's null. */
    static byte[] message(RowData row) {
        return (byte[]) ((GenericRowData) row).getField(0);
    }

    @Override
    public void deserialize(byte[] message, Collector<RowData> out) {
        if (row == null) {
            row = new GenericRowData(1);
        }
        row.setField(0, message);
        out.collect(row);
    }

    @Override
    public RowData deserialize(byte[] message) {
        return GenericRowData.of((Object) message);
    }

    @Override
    public boolean isEndOfStream(RowData next) {
        return false;
    }

    @Override
    public TypeInformation<RowData> getProducedType() {
        return producedType;
    }
}
