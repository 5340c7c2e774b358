package io.streamfusion.nexmark.generator;

import io.streamfusion.nexmark.generator.EventRandom.Purpose;
import io.streamfusion.nexmark.generator.NexmarkEvent.Auction;
import io.streamfusion.nexmark.generator.NexmarkEvent.Bid;
import io.streamfusion.nexmark.generator.NexmarkEvent.Person;

/**
 * Event number → event. A pure function: instances keep scratch and a cache of channel URLs only.
 * One thread an instance.
 *
 * <p>Of 50 numbers in a row the first is a person, the next three are auctions, the others bids.
 * Persons and auctions are numbered in order of creation; bids and auctions refer to recent ids, to
 * a "hot" one in every hundred, and to a few that come later.
 */
public final class NexmarkGenerator {
    private static final int CYCLE = 50;
    private static final int PERSONS_A_CYCLE = 1;
    private static final int AUCTIONS_A_CYCLE = 3;

    private static final long FIRST_ID = 1000;
    private static final long FIRST_CATEGORY = 10;
    private static final int CATEGORIES = 5;

    private static final int IDS_A_HOT_ONE = 100;
    private static final int IDS_NOT_YET_THERE = 10;
    private static final int OPEN_AUCTIONS = 100;
    private static final int ACTIVE_PERSONS = 1000;

    private static final int PERSON_BYTES = 200;
    private static final int AUCTION_BYTES = 500;
    private static final int BID_BYTES = 100;
    private static final int BID_BYTES_WITHOUT_EXTRA = 32;

    private static final long PERMUTATION = 953;

    private static final String[] FIRST_NAMES = {
        "Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter",
        "Walter"
    };
    private static final String[] LAST_NAMES = {
        "Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"
    };
    private static final String[] CITIES = {
        "Phoenix",
        "Los Angeles",
        "San Francisco",
        "Boise",
        "Portland",
        "Bend",
        "Redmond",
        "Seattle",
        "Kent",
        "Cheyenne"
    };
    private static final String[] STATES = {"AZ", "CA", "ID", "OR", "WA", "WY"};
    private static final String[] HOT_CHANNELS = {"Google", "Facebook", "Baidu", "Apple"};
    private static final int COLD_CHANNELS = 10_000;

    private final NexmarkSettings settings;
    private final double microsAnEvent;
    private final EventRandom random;
    private final String[] hotUrls = new String[HOT_CHANNELS.length];
    private final String[] coldUrls = new String[COLD_CHANNELS];

    /** A generator of the stream that these settings name. */
    public NexmarkGenerator(NexmarkSettings settings) {
        this.settings = settings;
        this.microsAnEvent = 1_000_000.0 / settings.eventsPerSecond();
        this.random = new EventRandom(settings.seed());
    }

    /** The event at a position of the stream, counted from 0. */
    public NexmarkEvent event(long position) {
        long number = numberAt(position);
        random.start(Purpose.EVENT, number);
        long place = number % CYCLE;
        if (place < PERSONS_A_CYCLE) {
            return person(number);
        }
        return place < PERSONS_A_CYCLE + AUCTIONS_A_CYCLE ? auction(number) : bid(number);
    }

    /** With shuffling the k-th of a group is number k × 953 modulo the group's size. */
    private long numberAt(long position) {
        int group = settings.shuffle();
        return position - position % group + position * PERMUTATION % group;
    }

    private long millisOf(long number) {
        return settings.baseMillis() + (long) (number * microsAnEvent) / 1000;
    }

    private Person person(long number) {
        String name = random.oneOf(FIRST_NAMES) + " " + random.oneOf(LAST_NAMES);
        String email = random.word(7, ' ') + "@" + random.word(5, ' ') + ".com";
        String card = cardGroup() + " " + cardGroup() + " " + cardGroup() + " " + cardGroup();
        String city = random.oneOf(CITIES);
        String state = random.oneOf(STATES);
        int used =
                Long.BYTES
                        + name.length()
                        + email.length()
                        + card.length()
                        + city.length()
                        + state.length();
        String extra = random.padding(used, PERSON_BYTES);
        long id = FIRST_ID + newestPerson(number);
        return new Person(id, name, email, card, city, state, millisOf(number), extra);
    }

    private String cardGroup() {
        return Integer.toString(10_000 + random.below(10_000)).substring(1);
    }

    private Auction auction(long number) {
        long dateTime = millisOf(number);
        long seller = random.onceIn(4) ? recentPerson(number) : hotIn(newestPerson(number));
        long category = FIRST_CATEGORY + random.below(CATEGORIES);
        long initialBid = random.price();
        // Twice the time in which as many auctions appear as are meant to be open at once.
        long untilReplaced =
                millisOf(number + (long) OPEN_AUCTIONS * CYCLE / AUCTIONS_A_CYCLE) - dateTime;
        long expires = dateTime + 1 + random.below(Math.max(2 * untilReplaced, 1));
        String itemName = random.word(20, ' ');
        String description = random.word(100, ' ');
        long reserve = initialBid + random.price();
        int used = 6 * Long.BYTES + itemName.length() + description.length();
        return new Auction(
                FIRST_ID + newestAuction(number),
                itemName,
                description,
                initialBid,
                reserve,
                dateTime,
                expires,
                FIRST_ID + seller,
                category,
                random.padding(used, AUCTION_BYTES));
    }

    private Bid bid(long number) {
        long auction = random.onceIn(2) ? recentAuction(number) : hotIn(newestAuction(number));
        // The hot bidder is the second of its hundred, so that it is not the hot seller.
        long bidder = random.onceIn(4) ? recentPerson(number) : hotIn(newestPerson(number)) + 1;
        long price = random.price();
        boolean cold = random.onceIn(2);
        int channel = random.below(cold ? COLD_CHANNELS : HOT_CHANNELS.length);
        String extra = random.padding(BID_BYTES_WITHOUT_EXTRA, BID_BYTES);
        return new Bid(
                FIRST_ID + auction,
                FIRST_ID + bidder,
                price,
                cold ? "channel-" + channel : HOT_CHANNELS[channel],
                cold ? coldUrl(channel) : hotUrl(channel),
                millisOf(number),
                extra);
    }

    /**
     * A channel keeps its URL, drawn from the channel's own stream: nothing of the event may be
     * drawn after this.
     */
    private String coldUrl(int channel) {
        if (coldUrls[channel] == null) {
            random.start(Purpose.COLD_CHANNEL_URL, channel);
            String page = itemPage();
            boolean named = !random.onceIn(10);
            coldUrls[channel] =
                    named ? page + "&channel_id=" + Math.abs(Integer.reverse(channel)) : page;
        }
        return coldUrls[channel];
    }

    private String hotUrl(int channel) {
        if (hotUrls[channel] == null) {
            random.start(Purpose.HOT_CHANNEL_URL, channel);
            hotUrls[channel] = itemPage();
        }
        return hotUrls[channel];
    }

    private String itemPage() {
        String first = random.word(5, '_');
        String second = random.word(5, '_');
        String third = random.word(5, '_');
        return "https://www.nexmark.com/"
                + first
                + "/"
                + second
                + "/"
                + third
                + "/item.htm?query=1";
    }

    /** Ordinal of the newest person at this number; at a person's own number, its own. */
    private static long newestPerson(long number) {
        return number / CYCLE * PERSONS_A_CYCLE;
    }

    /**
     * Ordinal of the newest auction at this number, −1 before the first; at an auction's own
     * number, its own.
     */
    private static long newestAuction(long number) {
        long before = number / CYCLE * AUCTIONS_A_CYCLE - 1;
        long inCycle = number % CYCLE - PERSONS_A_CYCLE + 1;
        return before + Math.min(inCycle, AUCTIONS_A_CYCLE);
    }

    private long recentPerson(long number) {
        long known = newestPerson(number) + 1;
        long active = Math.min(known, ACTIVE_PERSONS);
        return known - active + random.below(active + IDS_NOT_YET_THERE);
    }

    private long recentAuction(long number) {
        long newest = newestAuction(number);
        long oldest = Math.max(newest - OPEN_AUCTIONS, 0);
        return oldest + random.below(newest - oldest + 1 + IDS_NOT_YET_THERE);
    }

    private static long hotIn(long newest) {
        return newest - newest % IDS_A_HOT_ONE;
    }
}
