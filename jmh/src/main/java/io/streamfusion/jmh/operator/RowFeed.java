package io.streamfusion.jmh.operator;

import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/**
 * Rows of bids or auctions, whatever columns of them an operator takes: binary rows, each a fresh
 * one, as a network input hands them out. Event time goes on with every row.
 */
final class RowFeed {
    /** Rows in a second of event time. */
    static final int ROWS_PER_SECOND = 10_000;

    private static final long FIRST_MILLIS = 1_700_000_000_000L;
    private static final int TEMPLATES = 1 << 16;
    private static final int TIMESTAMP_PRECISION = 3;
    private static final long MAX_PRICE = 10_000_000;

    private final BinaryRowData[] templates;
    private final int timeColumn;
    private long rows;

    /**
     * A feed.
     *
     * @param type the columns: {@code auction}, {@code bidder}, {@code id}, {@code seller} (below
     *     {@code keys}), {@code price}, {@code eventTime}
     * @param keys of auctions and of bidders
     * @param numbered whether row n is of auction n, instead of a random one
     */
    RowFeed(RowType type, int keys, boolean numbered, SplittableRandom random) {
        List<String> names = type.getFieldNames();
        timeColumn = names.indexOf("eventTime");
        templates = new BinaryRowData[numbered ? keys : TEMPLATES];
        RowDataSerializer serializer = new RowDataSerializer(type);
        for (int n = 0; n < templates.length; n++) {
            GenericRowData row = new GenericRowData(names.size());
            for (int i = 0; i < names.size(); i++) {
                row.setField(i, field(names.get(i), n, keys, numbered, random));
            }
            templates[n] = serializer.toBinaryRow(row).copy();
        }
    }

    private static Object field(
            String name, int n, int keys, boolean numbered, SplittableRandom random) {
        return switch (name) {
            case "id", "auction", "bidder", "seller" -> numbered ? (long) n : random.nextLong(keys);
            case "price" -> 1 + random.nextLong(MAX_PRICE);
            case "eventTime" -> TimestampData.fromEpochMillis(FIRST_MILLIS);
            default -> throw new IllegalStateException("No values for a column " + name);
        };
    }

    /** The next row. */
    RowData next() {
        BinaryRowData row = templates[(int) (rows % templates.length)].copy();
        if (timeColumn >= 0) {
            row.setTimestamp(
                    timeColumn, TimestampData.fromEpochMillis(millis()), TIMESTAMP_PRECISION);
        }
        rows++;
        return row;
    }

    /** The row that came so many rows ago, taken back; of a feed without event time. */
    RowData retracted(long ago) {
        BinaryRowData row = templates[(int) ((rows - ago) % templates.length)].copy();
        row.setRowKind(RowKind.DELETE);
        return row;
    }

    /** Rows so far. */
    long rows() {
        return rows;
    }

    /** Event time of the next row in milliseconds. */
    long millis() {
        return FIRST_MILLIS + rows * 1000 / ROWS_PER_SECOND;
    }
}
