package io.streamfusion.nexmark.generator;

import io.streamfusion.nexmark.generator.NexmarkEvent.Auction;
import io.streamfusion.nexmark.generator.NexmarkEvent.Bid;
import io.streamfusion.nexmark.generator.NexmarkEvent.Person;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Events as JSON, one a line: {@code event_type}, then the three nested rows of which two are
 * {@code null}; times as {@code yyyy-MM-dd HH:mm:ss.SSS} in UTC, which is how Flink's JSON format
 * reads a TIMESTAMP(3). One thread an instance.
 */
public final class NexmarkJson {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

    private final StringBuilder text = new StringBuilder(1024);

    /** The line of an event with its line feed; valid until the next call. */
    public CharSequence line(NexmarkEvent event) {
        text.setLength(0);
        switch (event) {
            case Person person -> person(person);
            case Auction auction -> auction(auction);
            case Bid bid -> bid(bid);
        }
        return text.append('\n');
    }

    private void person(Person person) {
        text.append("{\"event_type\":0,\"person\":{");
        field("id").append(person.id());
        quoted("name", person.name());
        quoted("emailAddress", person.emailAddress());
        quoted("creditCard", person.creditCard());
        quoted("city", person.city());
        quoted("state", person.state());
        time("dateTime", person.dateTime());
        quoted("extra", person.extra());
        text.append("},\"auction\":null,\"bid\":null}");
    }

    private void auction(Auction auction) {
        text.append("{\"event_type\":1,\"person\":null,\"auction\":{");
        field("id").append(auction.id());
        quoted("itemName", auction.itemName());
        quoted("description", auction.description());
        field("initialBid").append(auction.initialBid());
        field("reserve").append(auction.reserve());
        time("dateTime", auction.dateTime());
        time("expires", auction.expires());
        field("seller").append(auction.seller());
        field("category").append(auction.category());
        quoted("extra", auction.extra());
        text.append("},\"bid\":null}");
    }

    private void bid(Bid bid) {
        text.append("{\"event_type\":2,\"person\":null,\"auction\":null,\"bid\":{");
        field("auction").append(bid.auction());
        field("bidder").append(bid.bidder());
        field("price").append(bid.price());
        quoted("channel", bid.channel());
        quoted("url", bid.url());
        time("dateTime", bid.dateTime());
        quoted("extra", bid.extra());
        text.append("}}");
    }

    private StringBuilder field(String name) {
        if (text.charAt(text.length() - 1) != '{') {
            text.append(',');
        }
        return text.append('"').append(name).append("\":");
    }

    private void quoted(String name, String value) {
        field(name).append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\');
            }
            text.append(c);
        }
        text.append('"');
    }

    private void time(String name, long millis) {
        field(name).append('"');
        TIME.formatTo(Instant.ofEpochMilli(millis), text);
        text.append('"');
    }
}
