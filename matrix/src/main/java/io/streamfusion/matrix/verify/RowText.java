package io.streamfusion.matrix.verify;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.StringJoiner;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectReader;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.json.JsonMapper;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * Records of Flink's JSON format as the text in which results are known: columns joined with {@code
 * |}, NULL as {@code \N}, times with three decimals, decimals with all of theirs. The format leaves
 * out zeros at the end.
 */
public final class RowText {
    private static final ObjectReader JSON =
            JsonMapper.builder()
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .build()
                    .reader();
    private static final int MILLIS_DIGITS = 3;

    private RowText() {}

    /** The text of a record's value. */
    public static String of(SinkSchema schema, byte[] value) {
        try {
            JsonNode row = JSON.readTree(value);
            StringJoiner text = new StringJoiner("|");
            for (SinkSchema.SinkColumn column : schema.columns()) {
                text.add(of(column, row.get(column.name())));
            }
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String of(SinkSchema.SinkColumn column, JsonNode value) {
        if (value == null || value.isNull()) {
            return "\\N";
        }
        return switch (column.type().getTypeRoot()) {
            case TIMESTAMP_WITHOUT_TIME_ZONE -> millis(value.asText());
            case DECIMAL ->
                    value.decimalValue()
                            .setScale(LogicalTypeChecks.getScale(column.type()))
                            .toPlainString();
            default -> value.asText();
        };
    }

    private static String millis(String time) {
        int dot = time.indexOf('.');
        String fraction = dot < 0 ? "" : time.substring(dot + 1);
        return (dot < 0 ? time : time.substring(0, dot))
                + "."
                + fraction
                + "0".repeat(MILLIS_DIGITS - fraction.length());
    }
}
