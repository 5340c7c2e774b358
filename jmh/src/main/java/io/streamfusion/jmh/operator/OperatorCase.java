package io.streamfusion.jmh.operator;

/** A statement, and the operator of its plan that is measured. */
public enum OperatorCase {
    /** Non-windowed aggregation: one accumulator row a key. */
    GROUP_AGGREGATE(
            "GroupAggregate",
            "SELECT bidder, COUNT(*), SUM(price), MAX(price) FROM bids GROUP BY bidder"),
    /** Tumbling windows of ten seconds; a second of event time is 10,000 rows. */
    WINDOW_AGGREGATE(
            "WindowAggregate",
            "SELECT auction, window_start, COUNT(*), MAX(price)"
                    + " FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(eventTime), INTERVAL '10' SECOND))"
                    + " GROUP BY auction, window_start, window_end"),
    /** Auctions, one a key, are there before bids come, each of which is retracted later. */
    REGULAR_JOIN(
            "Join",
            "SELECT a.seller, b.auction, b.bidder, b.price"
                    + " FROM bids b JOIN auctions a ON b.auction = a.id"),
    /** The ten highest bids of an auction. */
    TOP_N(
            "Rank",
            "SELECT auction, bidder, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY auction"
                    + " ORDER BY price DESC) AS place FROM bids) WHERE place <= 10"),
    /** The last bid of a bidder. */
    DEDUPLICATE(
            "Deduplicate",
            "SELECT auction, bidder, price, eventTime FROM (SELECT *, ROW_NUMBER() OVER (PARTITION"
                    + " BY bidder ORDER BY eventTime DESC) AS place FROM bids) WHERE place = 1"),
    /** Stateless: a filter that two of three rows pass, and arithmetic. */
    CALC(
            "Calc",
            "SELECT auction, bidder, price * 908 / 1000 AS euros, eventTime FROM bids"
                    + " WHERE MOD(price, 3) > 0");

    private final String operator;
    private final String statement;

    OperatorCase(String operator, String statement) {
        this.operator = operator;
        this.statement = statement;
    }

    /** What the name of its transformation begins with. */
    String operator() {
        return operator;
    }

    String statement() {
        return statement;
    }
}
