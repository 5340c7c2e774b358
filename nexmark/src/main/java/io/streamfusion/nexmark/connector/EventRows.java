package io.streamfusion.nexmark.connector;

import static org.apache.flink.table.api.DataTypes.BIGINT;
import static org.apache.flink.table.api.DataTypes.FIELD;
import static org.apache.flink.table.api.DataTypes.INT;
import static org.apache.flink.table.api.DataTypes.ROW;
import static org.apache.flink.table.api.DataTypes.STRING;
import static org.apache.flink.table.api.DataTypes.TIMESTAMP;

import io.streamfusion.nexmark.generator.NexmarkEvent;
import io.streamfusion.nexmark.generator.NexmarkEvent.Auction;
import io.streamfusion.nexmark.generator.NexmarkEvent.Bid;
import io.streamfusion.nexmark.generator.NexmarkEvent.Person;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;

/**
 * Events as rows {@code (event_type, person, auction, bid)} of which one nested row is not null.
 */
public final class EventRows {
    private static final int PERSON = 0;
    private static final int AUCTION = 1;
    private static final int BID = 2;

    private EventRows() {}

    /** The physical columns of the table, all nullable. */
    static DataType type() {
        return ROW(
                FIELD("event_type", INT()),
                FIELD(
                        "person",
                        ROW(
                                FIELD("id", BIGINT()),
                                FIELD("name", STRING()),
                                FIELD("emailAddress", STRING()),
                                FIELD("creditCard", STRING()),
                                FIELD("city", STRING()),
                                FIELD("state", STRING()),
                                FIELD("dateTime", TIMESTAMP(3)),
                                FIELD("extra", STRING()))),
                FIELD(
                        "auction",
                        ROW(
                                FIELD("id", BIGINT()),
                                FIELD("itemName", STRING()),
                                FIELD("description", STRING()),
                                FIELD("initialBid", BIGINT()),
                                FIELD("reserve", BIGINT()),
                                FIELD("dateTime", TIMESTAMP(3)),
                                FIELD("expires", TIMESTAMP(3)),
                                FIELD("seller", BIGINT()),
                                FIELD("category", BIGINT()),
                                FIELD("extra", STRING()))),
                FIELD(
                        "bid",
                        ROW(
                                FIELD("auction", BIGINT()),
                                FIELD("bidder", BIGINT()),
                                FIELD("price", BIGINT()),
                                FIELD("channel", STRING()),
                                FIELD("url", STRING()),
                                FIELD("dateTime", TIMESTAMP(3)),
                                FIELD("extra", STRING()))));
    }

    /** A new row, owned by the caller. */
    public static RowData toRow(NexmarkEvent event) {
        return switch (event) {
            case Person p ->
                    GenericRowData.of(
                            PERSON,
                            GenericRowData.of(
                                    p.id(),
                                    text(p.name()),
                                    text(p.emailAddress()),
                                    text(p.creditCard()),
                                    text(p.city()),
                                    text(p.state()),
                                    time(p.dateTime()),
                                    text(p.extra())),
                            null,
                            null);
            case Auction a ->
                    GenericRowData.of(
                            AUCTION,
                            null,
                            GenericRowData.of(
                                    a.id(),
                                    text(a.itemName()),
                                    text(a.description()),
                                    a.initialBid(),
                                    a.reserve(),
                                    time(a.dateTime()),
                                    time(a.expires()),
                                    a.seller(),
                                    a.category(),
                                    text(a.extra())),
                            null);
            case Bid b ->
                    GenericRowData.of(
                            BID,
                            null,
                            null,
                            GenericRowData.of(
                                    b.auction(),
                                    b.bidder(),
                                    b.price(),
                                    text(b.channel()),
                                    text(b.url()),
                                    time(b.dateTime()),
                                    text(b.extra())));
        };
    }

    private static StringData text(String ascii) {
        return StringData.fromString(ascii);
    }

    private static TimestampData time(long millis) {
        return TimestampData.fromEpochMillis(millis);
    }
}
