package io.streamfusion.nexmark.generator;

/**
 * One event of the stream. Times are milliseconds since the epoch, prices cents; all text is ASCII.
 */
public sealed interface NexmarkEvent {

    /** Event time in milliseconds since the epoch. */
    long dateTime();

    /** Somebody who bids or sells. */
    record Person(
            long id,
            String name,
            String emailAddress,
            String creditCard,
            String city,
            String state,
            long dateTime,
            String extra)
            implements NexmarkEvent {}

    /** Something for sale until {@code expires}; {@code seller} is the id of a person. */
    record Auction(
            long id,
            String itemName,
            String description,
            long initialBid,
            long reserve,
            long dateTime,
            long expires,
            long seller,
            long category,
            String extra)
            implements NexmarkEvent {}

    /**
     * An offer of a person ({@code bidder}) for an auction; either may come later in the stream.
     */
    record Bid(
            long auction,
            long bidder,
            long price,
            String channel,
            String url,
            long dateTime,
            String extra)
            implements NexmarkEvent {}
}
