package io.streamfusion.nexmark.query;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** What the queries are known to give for 20000 events, and how results are hashed. */
public final class ResultOracle {
    /** Length of the data sets with known results. */
    public static final long EVENTS = 20_000;

    /** Seed of data set A, all else being default. */
    public static final long SEED_OF_A = 42;

    private static final Comparator<String> BY_BYTES =
            (a, b) ->
                    Arrays.compareUnsigned(
                            a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

    private ResultOracle() {}

    /**
     * A known result.
     *
     * @param rows number of final rows
     * @param sha256 of the sorted rows, in hex
     */
    public record Known(long rows, String sha256) {}

    /**
     * The known result of a query; empty for q12.
     *
     * @param dataSet A or B
     */
    public static Optional<Known> find(String dataSet, NexmarkQuery query) {
        return NexmarkQuery.text("expected-20000.tsv")
                .lines()
                .map(line -> Arrays.asList(line.split("\t", -1)))
                .filter(fields -> fields.size() > 3)
                .filter(f -> f.get(0).equals(dataSet) && f.get(1).equals(query.name()))
                .filter(f -> !f.get(2).equals("-"))
                .map(f -> new Known(Long.parseLong(f.get(2)), f.get(3)))
                .findFirst();
    }

    /** The rows in the order of their bytes, as they are hashed and compared. */
    public static List<String> sorted(List<String> rows) {
        return rows.stream().sorted(BY_BYTES).toList();
    }

    /** SHA-256, in hex, of sorted rows, each ended by a line feed. */
    public static String sha256(List<String> sortedRows) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String row : sortedRows) {
                digest.update(row.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) '\n');
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
