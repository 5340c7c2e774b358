package io.streamfusion.matrix.kafka;

import io.streamfusion.nexmark.generator.NexmarkGenerator;
import io.streamfusion.nexmark.generator.NexmarkJson;
import io.streamfusion.nexmark.generator.NexmarkSettings;
import io.streamfusion.nexmark.query.ResultOracle;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

/**
 * The events that every run reads: a topic that is a function of this record.
 *
 * @param events how many, from the first of the stream on
 * @param partitions event number n is in partition n mod this
 */
public record Corpus(NexmarkSettings settings, long events, int partitions) {
    private static final int FINGERPRINT_EVENTS = 1000;
    private static final int NAME_DIGITS = 16;

    /**
     * One whose results are known.
     *
     * @param name A or B
     */
    public static Corpus ofDataSet(String name, int partitions) {
        NexmarkSettings settings =
                switch (name) {
                    case "A" -> NexmarkSettings.ofSeed(ResultOracle.SEED_OF_A);
                    case "B" ->
                            new NexmarkSettings(
                                    7,
                                    NexmarkSettings.DEFAULT_EVENTS_PER_SECOND,
                                    Instant.parse("2024-03-10T07:58:20Z").toEpochMilli(),
                                    100);
                    default -> throw new IllegalArgumentException("no data set " + name);
                };
        return new Corpus(settings, ResultOracle.EVENTS, partitions);
    }

    /**
     * The topic's name: another one for other settings, and for a generator that makes other events
     * of the same settings.
     */
    public String topic() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(toString().getBytes(StandardCharsets.UTF_8));
            NexmarkGenerator generator = new NexmarkGenerator(settings);
            NexmarkJson json = new NexmarkJson();
            for (long position = 0; position < FINGERPRINT_EVENTS; position++) {
                digest.update(bytes(json.line(generator.event(position))));
            }
            return "nexmark-" + HexFormat.of().formatHex(digest.digest()).substring(0, NAME_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Number of events in a partition. */
    public long eventsIn(int partition) {
        return (events - partition + partitions - 1) / partitions;
    }

    /** A line of JSON without its line feed, as the value of a record. */
    static byte[] bytes(CharSequence line) {
        byte[] bytes = new byte[line.length() - 1];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) line.charAt(i); // ASCII
        }
        return bytes;
    }
}
